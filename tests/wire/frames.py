"""Frames that a transparent wire must carry unchanged, each with the name of what it stands for."""
import struct

CLIENT_MAC, SERVER_MAC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
# Every frame that is long enough bears this, so that it is told from the kernel's own (neighbour discovery, MLD).
SIGNATURE = b"sojourn-wire-test"
SHORTEST, MTU_FRAME = 14, 1514


def ethernet(ethertype, payload, destination=SERVER_MAC, source=CLIENT_MAC):
    return destination + source + struct.pack("!H", ethertype) + payload


def checksum(data):
    words = struct.unpack(f"!{len(data) // 2}H", data)
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(protocol, payload, ihl=5, tos=0, fragment=0, length=None, version=4, good_checksum=True, identification=1):
    options = b"\x01" * max(0, ihl * 4 - 20)
    total = 20 + len(options) + len(payload) if length is None else length
    header = struct.pack("!BBHHHBBH4s4s", version << 4 | ihl, tos, total, identification, fragment, 64, protocol, 0,
                         bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])) + options
    value = checksum(header) ^ (0 if good_checksum else 0x5555)
    return header[:10] + struct.pack("!H", value) + header[12:] + payload


def ipv6(next_header, payload, length=None):
    return struct.pack("!IHBB", 6 << 28, len(payload) if length is None else length, next_header, 64) + \
        bytes.fromhex("20010db8000000000000000000000001") + bytes.fromhex("20010db8000000000000000000000002") + payload


def udp(payload=SIGNATURE, source=4000, destination=4001, length=None):
    return struct.pack("!HHHH", source, destination, 8 + len(payload) if length is None else length, 0) + payload


def tagged(frame, *tags):
    """Puts (tpid, tci) tags in, the outermost first."""
    return frame[:12] + b"".join(struct.pack("!HH", *tag) for tag in tags) + frame[12:]


def link_local():
    multicast = lambda last: bytes.fromhex("0180c20000") + bytes([last])
    yield "STP", ethernet(60, b"\x42\x42\x03" + SIGNATURE.ljust(57, b"\0"), multicast(0x00))
    # CASES LQ-8
    yield "LACP", ethernet(0x8809, b"\x01\x01" + SIGNATURE.ljust(108, b"\0"), multicast(0x02))
    yield "802.1X", ethernet(0x888E, b"\x01\x00\x00\x04" + SIGNATURE, multicast(0x03))
    yield "LLDP", ethernet(0x88CC, b"\x02\x07\x04" + CLIENT_MAC + SIGNATURE, multicast(0x0E))
    yield "GVRP", ethernet(60, b"\x42\x42\x03" + SIGNATURE.ljust(57, b"\0"), multicast(0x21))
    yield "PAUSE", ethernet(0x8808, b"\x00\x01\x00\x00" + SIGNATURE.ljust(42, b"\0"), multicast(0x01))
    yield "CDP", ethernet(60, b"\xaa\xaa\x03" + SIGNATURE.ljust(57, b"\0"), bytes.fromhex("01000ccccccc"))
    yield "broadcast of an unknown type", ethernet(0x88B5, SIGNATURE, b"\xff" * 6)


def neighbours():
    arp = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + CLIENT_MAC + bytes([198, 51, 100, 1]) + bytes(6) + \
        bytes([198, 51, 100, 2])
    yield "ARP", ethernet(0x0806, arp + SIGNATURE, b"\xff" * 6)
    solicitation = struct.pack("!BBHI", 135, 0, 0, 0) + bytes.fromhex("20010db80000000000000000000000ff") + SIGNATURE
    yield "IPv6 neighbour solicitation", ethernet(0x86DD, ipv6(58, solicitation), bytes.fromhex("3333ff0000ff"))
    yield "IPv6 router solicitation", ethernet(0x86DD, ipv6(58, struct.pack("!BBHI", 133, 0, 0, 0) + SIGNATURE),
                                               bytes.fromhex("333300000002"))


def vlans():
    inner = ethernet(0x0800, ipv4(17, udp()))
    yield "802.1Q", tagged(inner, (0x8100, 0x6005))
    yield "802.1Q priority tag", tagged(inner, (0x8100, 0xE000))
    yield "QinQ 88a8", tagged(inner, (0x88A8, 0x0064), (0x8100, 0x2005))
    yield "QinQ 8100 8100", tagged(inner, (0x8100, 100), (0x8100, 200))
    yield "QinQ 9100", tagged(inner, (0x9100, 100), (0x8100, 200))
    yield "four tags", tagged(inner, *[(0x8100, 1 + n) for n in range(4)])
    yield "a full frame in a tag", tagged(ethernet(0x0800, ipv4(17, udp(SIGNATURE.ljust(1472, b"v")))), (0x8100, 7))
    # Not shorter: the receiving kernel drops what ends inside a tag before anybody can see it.
    yield "tag, then next to nothing", ethernet(0x8100, b"\x00\x05\x08\x00\x45\x00")
    yield "802.1ad on ARP", tagged(ethernet(0x0806, SIGNATURE.ljust(46, b"\0")), (0x88A8, 3))


def malformed():
    for ihl in range(16):
        yield f"IPv4 IHL {ihl}", ethernet(0x0800, ipv4(17, udp(), ihl=ihl))
    for version in (0, 5, 6, 15):
        yield f"IPv4 version {version}", ethernet(0x0800, ipv4(17, udp(), version=version))
    for length in (0, 19, 21, 65535):
        yield f"IPv4 total length {length}", ethernet(0x0800, ipv4(17, udp(), length=length))
    yield "IPv4 bad checksum, ECT(0)", ethernet(0x0800, ipv4(17, udp(), tos=2, good_checksum=False))
    yield "IPv4 CE", ethernet(0x0800, ipv4(17, udp(), tos=3))
    yield "IPv4 DSCP EF", ethernet(0x0800, ipv4(17, udp(), tos=0xB8))
    yield "IPv4 first fragment", ethernet(0x0800, ipv4(17, udp(), fragment=0x2000))
    yield "IPv4 later fragment", ethernet(0x0800, ipv4(17, SIGNATURE, fragment=0x0064))
    yield "IPv4 protocol 255", ethernet(0x0800, ipv4(255, SIGNATURE))
    yield "UDP length 0", ethernet(0x0800, ipv4(17, udp(length=0)))
    for size in (0, 1, 4, 19, 20, 21, 27):
        yield f"IPv4 cut after {size} bytes", ethernet(0x0800, ipv4(17, udp())[:size])
        yield f"IPv6 cut after {size * 2} bytes", ethernet(0x86DD, ipv6(17, udp())[:size * 2])
    yield "IPv6 payload length 65535", ethernet(0x86DD, ipv6(17, udp(), length=65535))
    endless = b"\x00\x00" + b"\x01\x04\0\0\0\0"
    yield "IPv6 100 hop-by-hop headers", ethernet(0x86DD, ipv6(0, endless * 100 + SIGNATURE))
    yield "IPv6 fragment header, cut", ethernet(0x86DD, ipv6(44, b"\x11\x00\x00"))
    yield "MPLS without an end", ethernet(0x8847, b"\x00\x01\x00\x40" * 20 + SIGNATURE)
    yield "PPPoE, cut", ethernet(0x8864, b"\x11\x00\x00\x01\x00\x00\x00")
    yield "GRE in IPv4, cut", ethernet(0x0800, ipv4(47, b"\xff\xff\x08\x00"))
    yield "IPv4 in IPv4, ten deep", ethernet(0x0800, _nested(10))


def _nested(depth):
    packet = ipv4(17, udp())
    for _ in range(depth):
        packet = ipv4(4, packet)
    return packet


def sizes(largest=MTU_FRAME):
    for size in sorted({*range(SHORTEST, 65), 127, 128, 129, 511, 512, 1000, 1513, 2047, 2048, 3000, 4096, 8999, largest}):
        if size <= largest:
            yield f"{size} bytes", ethernet(0x88B6, (SIGNATURE * (size // 17 + 1))[:size - 14])


def turned(frame):
    """The same frame from server to client."""
    destination, source = frame[:6], frame[6:12]
    return (CLIENT_MAC if destination == SERVER_MAC else destination) + \
        (SERVER_MAC if source == CLIENT_MAC else source) + frame[12:]
