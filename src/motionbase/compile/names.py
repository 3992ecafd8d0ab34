"""Rules for names that are valid in Python, C, C++, CUDA and the ring."""

import keyword
import re

from motionbase.errors import KernelError

# words that C, C++ or CUDA do not accept as a parameter, macros of their headers, and functions of generated code
_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof "
    "alignas alignof and and_eq bitand bitor bool catch char16_t char32_t class compl const_cast constexpr decltype "
    "delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or "
    "or_eq private protected public reinterpret_cast static_assert static_cast template this thread_local throw true "
    "try typeid typename using virtual wchar_t xor xor_eq main NULL NAN INFINITY MAXFLOAT DECIMAL_DIG errno "
    "math_errhandling linux unix assert threadIdx blockIdx blockDim gridDim warpSize sqrt fabs copysign floor ceil "
    "fmod memcpy uint64_t".split()
)
# macros of <float.h>, <math.h> and <stdint.h>, including those of later standards
_MACRO = re.compile(
    r"(DBL|FLT|LDBL|FP|HUGE|MATH|U?INT|U?INT\d+|U?INTMAX|U?INTPTR|PTRDIFF|SIZE|SIG_ATOMIC|WCHAR|WINT)_[A-Z0-9_]+"
    r"|M_[A-Z0-9_]+\w*|SNAN[A-Z0-9]*|\w+_ENDIAN|BYTE_ORDER"
)
# functions that the headers declare or that C compilers have built in: a second definition would not compile;
# those of <math.h> have variants with a suffix for the type (sinf, sinl, sinf64x)
_MATHS = (
    "acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 "
    "expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb "
    "llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow "
    "pow10 remainder remquo rint round roundeven scalb scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma "
    "totalorder trunc y0 y1 yn"
)
_OTHERS = (
    "abort abs bcmp bcopy bzero calloc div exit fadd fdiv ffma ffs ffsl ffsll fmul fpclassify free fsqrt fsub index "
    "isfinite isgreater isgreaterequal isless islessequal islessgreater isnormal isunordered labs lgamma_r malloc "
    "memccpy memchr memcmp memmem memmove mempcpy memrchr memset printf putchar puts rawmemchr realloc rindex signbit "
    "stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strerror strlen "
    "strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok "
    "strtok_r strverscmp strxfrm tolower toupper float_t double_t size_t"
)
_LIBRARY = re.compile(rf"({'|'.join(_MATHS.split())})(f|l|f\d+x?)?|({'|'.join(_OTHERS.split())})")
_ARGUMENTS = ("out", "every", "steps")  # of calls that take ports by name: `compiled(...)` and `run(...)` of a scan


def check_name(kind: str, name: object) -> None:
    """Check that a name is valid in Python, C and the ring, and that a function's is not one of the C library."""
    if broken := _broken_rule(kind, name):
        raise KernelError(f"{kind} {name!r}: a name {broken}")


def _broken_rule(kind: str, name: object) -> str:
    """What is wrong with a name, or ""."""
    if not isinstance(name, str):
        return f"is a text, not {type(name).__name__}"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        return "is letters, digits and underscores, and starts with a letter"
    if name.endswith("_") or "__" in name:  # reserved for generated names and for compilers
        return "does not end with an underscore, nor has two in a row"
    if name.startswith("mb_"):
        return "does not start with 'mb_', which is for generated code"
    if name in _RESERVED or keyword.iskeyword(name):
        return "is not a word of C or Python"
    if _MACRO.fullmatch(name):
        return "is not a macro of C"
    if kind == "port" and name in _ARGUMENTS:
        return f"of a port is not an argument of a call or a scan: {', '.join(_ARGUMENTS)}"
    if kind not in ("port", "buffer") and _LIBRARY.fullmatch(name):
        return "of a function is not one of the C library's"
    return ""
