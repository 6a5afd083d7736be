"""Two network namespaces with sojournd as the wire between them: for the demo and for the wire tests."""
