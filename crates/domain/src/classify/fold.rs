//! Folds text to plain lower-case letters, so that case, accents, invisible characters and look-alikes don't matter.

/// Characters that nobody sees; they vanish, so that they can't split a word.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
        || ('\u{0300}'..='\u{036f}').contains(&c)
        || (c.is_control() && !c.is_whitespace())
}

/// The plain letter under an accent, for Latin and the Cyrillic ё and й variants that people mix up.
fn without_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' => "i",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => "o",
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => "u",
        'ç' | 'ć' | 'č' => "c",
        'ñ' | 'ń' | 'ň' => "n",
        'ý' | 'ÿ' => "y",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ź' | 'ż' | 'ž' => "z",
        'ł' => "l",
        'ğ' => "g",
        'ř' => "r",
        'ť' | 'ţ' | 'ț' => "t",
        'ď' | 'đ' => "d",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ё' => "е",
        '’' | '‘' | 'ʼ' | '`' | '´' => "'",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-",
        '？' | '¿' | '؟' | '⁇' => "?",
        '。' | '．' => ".",
        '；' => ";",
        '，' | '、' => ",",
        '“' | '”' | '„' | '«' | '»' => "\"",
        _ => return None,
    })
}

/// The Latin letter that looks like this one, for words that mix scripts.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' | 'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'ɡ' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ⅼ' => 'l',
        'м' | 'μ' => 'm',
        'ո' | 'η' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ѵ' | 'ν' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'ᴢ' => 'z',
        _ => return None,
    })
}

/// Full-width and mathematical letters to ASCII.
fn narrow(c: char) -> char {
    let code = u32::from(c);
    let ascii = match code {
        0xff01..=0xff5e => code - 0xfee0,
        0x1d400..=0x1d6a3 => {
            let at = (code - 0x1d400) % 52;
            if at < 26 { 0x41 + at } else { 0x61 + at - 26 }
        }
        0x1d7ce..=0x1d7ff => 0x30 + (code - 0x1d7ce) % 10,
        0x24d0..=0x24e9 => 0x61 + code - 0x24d0,
        0x24b6..=0x24cf => 0x41 + code - 0x24b6,
        _ => return c,
    };
    char::from_u32(ascii).unwrap_or(c)
}

/// Folds one word to lower case without accents; a word that mixes Latin with look-alikes becomes Latin.
pub(crate) fn word(raw: &str) -> String {
    // Most words are plain already.
    if raw.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'`') {
        return raw.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars().filter(|c| !is_invisible(*c)) {
        for lower in narrow(c).to_lowercase() {
            match without_accent(lower) {
                Some(plain) => out.push_str(plain),
                None if is_invisible(lower) => {}
                None => out.push(lower),
            }
        }
    }
    let latin = out.chars().any(|c| c.is_ascii_alphabetic());
    if latin && out.chars().any(|c| look_alike(c).is_some()) {
        out = out.chars().map(|c| look_alike(c).unwrap_or(c)).collect();
    }
    out
}

/// Takes away what nobody sees, keeping case (which tells identifiers apart) and line breaks.
pub(crate) fn visible(raw: &str) -> String {
    raw.chars().filter(|c| !is_invisible(*c)).map(narrow).collect()
}

/// Signs inside words of Indic scripts and Thai that are no letters: nukta, virama, tone marks.
pub(crate) fn is_sign(c: char) -> bool {
    let code = u32::from(c);
    let indic = (0x0900..=0x0dff).contains(&code) && matches!(code % 0x80, 0x3c | 0x4d);
    indic || (0x0e47..=0x0e4e).contains(&code)
}

/// Languages written without spaces: each character is a token.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0xac00..=0xd7af | 0x20000..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn folds_what_looks_the_same() {
        let cases = [
            ("DELETE", "delete"),
            ("d\u{0435}lete", "delete"),
            ("de\u{200b}le\u{00ad}te", "delete"),
            ("ｄｅｌｅｔｅ", "delete"),
            ("𝐝𝐞𝐥𝐞𝐭𝐞", "delete"),
            ("Löschen", "loschen"),
            ("lo\u{0308}schen", "loschen"),
            ("Straße", "strasse"),
            ("удалить", "удалить"),
            ("don’t", "don't"),
        ];
        for (raw, plain) in cases {
            assert_eq!(word(raw), plain, "{raw}");
        }
    }
}
