// Text for manual pages: man(7).
#pragma once

#include <string>
#include <string_view>

namespace sojourn::reference {

// As it is: nothing in it is taken for a request, a font or a hyphen.
std::string roff(std::string_view text);
std::string bold(std::string_view text);
std::string italic(std::string_view text);
// `like this` becomes bold.
std::string roff_of_markdown(std::string_view text);

// The first lines of a page.
std::string page_head(const std::string& name, int section, const std::string& version, const std::string& purpose);
// ".SH NAME"
std::string heading(const std::string& title);
// A term and what it means, each already roff.
std::string entry(const std::string& term, const std::string& text);
// A file, as it is.
std::string listing(std::string_view text);

}  // namespace sojourn::reference
