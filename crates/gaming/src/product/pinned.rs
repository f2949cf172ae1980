//! A condition that holds for one list only: so many entries, and each of them with a number of its own.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{short, squeeze};

/// A condition is no longer than this.
const LINES: usize = 4;
/// More entries than these are asked in a loop.
const MOST: usize = 6;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let all = view.new_lines();
    let mut findings = Vec::new();
    for (index, (number, text, code)) in all.iter().enumerate() {
        let begins = ["if ", "if(", "elif ", "} else if", "let ", "const ", "return ", "return("]
            .iter()
            .any(|word| code.trim_start().starts_with(word));
        if !begins {
            continue;
        }
        let near: Vec<&str> = all[index..].iter().take(LINES).map(|(_, _, code)| *code).collect();
        let end = near.iter().position(|line| line.trim_end().ends_with(['{', ':']));
        let condition = near[..end.map_or(1, |end| end + 1)].join(" ");
        if is_pinned(&squeeze(&condition)) {
            let message =
                "A condition holds for one list only: it asks for a number in each of its entries.";
            let finding = view.change.structure(Rule::G20, *number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// `all.length===2&&all[0].start===840&&all[1].start===540`: fields, since the first bytes of a file are asked
/// so by everybody who reads one.
fn is_pinned(condition: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.".contains(letter);
    if is_pinned_for_all(condition) {
        return true;
    }
    condition.match_indices("[0].").any(|(at, _)| {
        let before = &condition[..at];
        let list = &before[before.trim_end_matches(is_part).len()..];
        let sizes = [format!("{list}.length="), format!("len({list})="), format!("{list}.len()=")];
        let is_sized = !list.is_empty() && sizes.iter().any(|size| condition.contains(size));
        let asked = (0..MOST).filter(|index| {
            let entry = format!("{list}[{index}].");
            condition
                .match_indices(&entry)
                .any(|(at, _)| is_number_of(&condition[at + entry.len()..]))
        });
        is_sized && asked.count() > 1
    })
}

/// `blocks.len()==4&&blocks.iter().all(|b|b.prefix()==26&&…)`: so many, and each with the same large number.
fn is_pinned_for_all(condition: &str) -> bool {
    const SIZES: &[&str] = &[".len()==", ".length===", ".length==", ".size==", ")=="];
    let number = |rest: &str| -> usize {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    };
    let is_sized = SIZES.iter().any(|size| {
        let is_length = |at: usize| *size != ")==" || condition[..at].contains("len(");
        condition
            .match_indices(size)
            .any(|(at, _)| is_length(at) && number(&condition[at + size.len()..]) > 1)
    });
    let each = [".all(", ".every(", "&&all(", " all(", "(all("];
    let all = each.iter().find_map(|word| condition.split_once(word)).map_or("", |(_, rest)| rest);
    let is_large =
        all.match_indices("==").any(|(at, _)| number(all[at + 2..].trim_start_matches('=')) > 9);
    is_sized && is_large
}

/// Whether a field is compared with a number of more than one digit.
fn is_number_of(rest: &str) -> bool {
    let field = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let Some(value) = field.and_then(|end| rest[end..].strip_prefix("==")) else { return false };
    let value = value.trim_start_matches('=');
    value.chars().take_while(char::is_ascii_digit).count() > 1
}

#[cfg(test)]
mod tests {
    use super::is_pinned;

    /// G20: one list and no other.
    #[test]
    fn conditions_for_one_list() {
        for (condition, is_one) in [
            ("if(all.length===2&&all[0].start===840&&all[1].start===540){", true),
            ("if len(rows)==2&&rows[0].Cents==1250&&rows[1].Cents==300{", true),
            ("if rows.len()==2&&rows[0].cents==1250&&rows[1].cents==300{", true),
            ("if(parts.length===2&&parts[0].kind==='a'&&parts[1].kind==='b'){", false),
            ("if len(data)==2 and data[0]==137 and data[1]==80:", false),
            ("if(all.length===2&&all[0].start===all[1].start){", false),
            ("if(all[0].start===840){", false),
            (
                "let quarters=blocks.len()==4&&blocks.iter().all(|b|b.prefix()==26&&whole.covers(b));",
                true,
            ),
            ("if len(rows)==3 and all(row.width==80 for row in rows):", true),
            ("return parts.length===4&&parts.every((part)=>part>=0&&part<=255);", false),
            ("if digits.len()==13&&digits.iter().all(|d|d.is_ascii_digit()){", false),
        ] {
            assert_eq!(is_pinned(condition), is_one, "{condition}");
        }
    }
}
