//! Whether a value looks like something that a machine or a careful person made up, or like
//! words, code, or a place where a secret is still to be put.

/// The entropy of bytes, in bits a byte.
pub(crate) fn entropy(bytes: &[u8]) -> f32 {
    let mut counts = [0u16; 256];
    let bytes = &bytes[..bytes.len().min(1024)];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = f32::from(u16::try_from(bytes.len()).unwrap_or(u16::MAX));
    let share = |count: &u16| f32::from(*count) / total;
    let bits: f32 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| -share(count) * share(count).log2())
        .sum();
    bits.max(0.0)
}

/// What the bytes of a value are.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Mix {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    /// Signs other than those that join words: `_ - . / :`
    pub(crate) signs: usize,
    pub(crate) joints: usize,
    pub(crate) strange: usize,
    /// How often a letter follows a digit, a capital a small letter, and the like.
    pub(crate) turns: usize,
    /// Small letters that stand alone between others, which they seldom do in words.
    pub(crate) alone: usize,
    /// Capitals next to each other; words have one such place at most.
    pub(crate) loud: usize,
}

impl Mix {
    pub(crate) fn of(value: &[u8]) -> Self {
        let mut mix = Self::default();
        let (mut last, mut run) = (0, 0);
        for &byte in value {
            let (class, count) = match byte {
                b'a'..=b'z' => (1, &mut mix.lower),
                b'A'..=b'Z' => (2, &mut mix.upper),
                b'0'..=b'9' => (3, &mut mix.digits),
                b'_' | b'-' | b'.' | b'/' | b':' => (4, &mut mix.joints),
                b'!'..=b'~' => (5, &mut mix.signs),
                _ => (6, &mut mix.strange),
            };
            *count += 1;
            let turns = last != class;
            mix.turns += usize::from(last != 0 && turns);
            mix.alone += usize::from(turns && last == 1 && run == 1);
            mix.loud += usize::from(!turns && class == 2 && run == 1);
            run = if turns { 1 } else { run + 1 };
            last = class;
        }
        mix.alone += usize::from(last == 1 && run == 1);
        mix
    }

    pub(crate) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// How much of it no word would have.
    pub(crate) fn oddity(&self) -> usize {
        self.digits + self.alone + self.loud.saturating_sub(1)
    }
}

/// Marks of templates, lookups and code: the value is put in later, or worked out.
const LATER: &[&str] = &[
    "${",
    "$(",
    "{{",
    "}}",
    "#{",
    "%{",
    "<%",
    "%>",
    "%s",
    "%d",
    "%v",
    "%(",
    "{}",
    "{0}",
    "()",
    "::",
    "->",
    "=>",
    "://",
    "..",
    "\\u",
    "\\(",
    "[\"",
    "['",
    "\"]",
    "']",
    "@{",
    "process.env",
    "environ",
    "getenv",
    "[redacted",
    "+=",
    "==",
    "this.",
    "self.",
];

/// Whether a value only says where a secret will be, or how it is made.
pub(crate) fn is_later(value: &[u8]) -> bool {
    let opens = value.first().is_some_and(|byte| b"$<{[(%@&*\\".contains(byte));
    let text = std::str::from_utf8(value).unwrap_or("");
    opens || value.ends_with(b"\\") || LATER.iter().any(|mark| text.contains(mark))
}

/// Whether one byte stands five times in a row, or two or three different bytes are all there is.
pub(crate) fn is_filler(value: &[u8]) -> bool {
    let repeats = value.windows(5).any(|window| window.iter().all(|byte| *byte == window[0]));
    let mut seen: Vec<u8> = Vec::new();
    let most = if value.len() < 8 { 2 } else { 3 };
    let few = value.iter().all(|byte| {
        if !seen.contains(byte) {
            seen.push(*byte);
        }
        seen.len() <= most
    });
    repeats || few
}

/// Whether bytes go up or down by one, eight times in a row: `12345678`, `abcdefgh`.
pub(crate) fn is_counting(value: &[u8]) -> bool {
    let step = |up: bool, pair: &[u8]| {
        let (low, high) = if up { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        high == low.wrapping_add(1) || (low == b'9' && matches!(high, b'0' | b'a' | b'A'))
    };
    value
        .windows(8)
        .any(|window| [true, false].iter().any(|up| window.windows(2).all(|pair| step(*up, pair))))
}

/// Whether a value is made of words, with at most a short number after each: `my_token2`.
pub(crate) fn is_wordy(value: &[u8]) -> bool {
    let joins = |byte: &u8| b"_-./: ".contains(byte);
    value.split(joins).all(|part| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let digits = &part[letters..];
        let only_digits = digits.iter().all(u8::is_ascii_digit);
        // `32b`, and the parts of a time.
        let small = part.len() <= 3 || (part.len() <= 5 && letters == 0);
        small || (only_digits && digits.len() <= 4 && Mix::of(&part[..letters]).oddity() < 2)
    })
}

/// `CURLOPT_READDATA`: the name of a constant.
pub(crate) fn is_constant(value: &[u8], mix: Mix) -> bool {
    let plain = value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    plain && mix.lower == 0 && mix.joints > 0 && mix.digits * 4 <= value.len()
}

/// `123e4567-e89b-12d3-a456-426614174000`: a name far more often than a secret.
pub(crate) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_the_bytes() {
        for (text, low, high) in [
            ("", 0.0, 0.0),
            ("aaaaaaaa", 0.0, 0.0),
            ("abababab", 0.99, 1.01),
            ("0123456789abcdef", 3.99, 4.01),
        ] {
            let bits = entropy(text.as_bytes());
            assert!((low..=high).contains(&bits), "{text}: {bits}");
        }
    }

    #[test]
    fn words_and_chance_are_told_apart() {
        for text in [
            "",
            "token",
            "my_token2",
            "AccessToken",
            "utf-8",
            "a.b.c",
            "v1",
            "TOKEN_TYPE_1",
            "at-least-32b",
        ] {
            assert!(is_wordy(text.as_bytes()), "{text}");
        }
        for text in ["a1b2c3", "x8Kd92mQpL", "3f2a9c", "aBcDeFgH", "kMnuiQdKYyQKXW", "abc12345"] {
            assert!(!is_wordy(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_put_in_later_is_told() {
        for text in ["${A}", "<token>", "{{ x }}", "a%s", "os.environ", "f()", "a::b", "http://x"] {
            assert!(is_later(text.as_bytes()), "{text}");
        }
        assert!(!is_later(b"a8!k$z"));
        assert!(is_filler(b"a*****b") && is_filler(b"xyxzxyxy") && !is_filler(b"abcd"));
        assert!(
            is_counting(b"x12345678") && is_counting(b"hgfedcba") && is_counting(b"3456789abc")
        );
        assert!(!is_counting(b"1234567x"));
        let constant = |text: &[u8]| is_constant(text, Mix::of(text));
        assert!(constant(b"DOT11EXT_SET_KEY") && !constant(b"A1B2C3") && !constant(b"A_1234"));
        let id = format!("123e4567-e89b-12d3-a456-{}", "426614174000");
        assert!(is_uuid(id.as_bytes()) && !is_uuid(b"x"));
    }
}
