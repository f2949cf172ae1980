//! The stored form of recorded trees and of drift: only ever added to.
#![allow(clippy::unwrap_used)]

use countersign_domain::snapshot::{
    Beyond, Drift, FileDrift, Ground, Kind, Moved, Note, Operation, PathText, Position, Recorded,
    Said, Setting, SettingDrift, Special, SpecialKind, State, Watched, Why,
};
use countersign_domain::{Digest, ObjectId};

fn object(digit: &str) -> ObjectId {
    digit.repeat(40).parse().unwrap()
}

fn digest(digit: &str) -> Digest {
    digit.repeat(64).parse().unwrap()
}

fn recorded() -> Recorded {
    Recorded {
        position: Position {
            head: Some(object("a")),
            branch: Some("main".into()),
            stash: None,
            operation: Some(Operation::CherryPick),
            log: Some(digest("0")),
        },
        grounds: vec![Ground {
            path: PathText::default(),
            head: Some(object("a")),
            tree: object("b"),
            raw: None,
            lfs: Vec::new(),
            is_submodule: false,
        }],
        watched: vec![Watched {
            path: ".env".into(),
            mode: 0o100_600,
            size: 6,
            digest: digest("1"),
        }],
        special: vec![Special { path: "pipe".into(), kind: SpecialKind::DotGit }],
        settings: vec![Setting {
            name: "hooks/pre-commit".into(),
            digest: digest("2"),
            said: Vec::new(),
        }],
        beyond: vec![Beyond { path: PathText::new(*b"odd\xff"), why: Why::TooMany }],
        rules: digest("3"),
        beside: digest("4"),
        cache: digest("5"),
        is_exact: false,
    }
}

/// CX-07: what was recorded is stored in this form, and is read back from it.
#[test]
fn a_recorded_tree_has_one_form() {
    let expected = r#"{"position":{"head":"A","branch":"main","stash":null,"operation":"cherry_pick","log":"0"},"grounds":[{"path":"","head":"A","tree":"B"}],"watched":[{"path":".env","mode":33152,"size":6,"digest":"1"}],"special":[{"path":"pipe","kind":"dot_git"}],"settings":[{"name":"hooks/pre-commit","digest":"2"}],"beyond":[{"path":"odd\\xff","why":"too_many"}],"rules":"3","beside":"4","cache":"5"}"#;
    assert_eq!(short(&serde_json::to_string(&recorded()).unwrap()), expected);
    let text = serde_json::to_string(&recorded()).unwrap();
    assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), recorded());
    // The lists that are mostly empty need not be there; nothing else may be.
    let bare = Recorded {
        watched: Vec::new(),
        special: Vec::new(),
        settings: Vec::new(),
        beyond: Vec::new(),
        ..recorded()
    };
    let text = serde_json::to_string(&bare).unwrap();
    assert!(!text.contains("watched") && !text.contains("beyond"));
    assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), bare);
    let exact = Recorded {
        grounds: vec![Ground {
            raw: Some(object("c")),
            lfs: vec!["a.bin".into()],
            ..bare.grounds[0].clone()
        }],
        is_exact: true,
        ..bare
    };
    let text = serde_json::to_string(&exact).unwrap();
    let (ground, whole) =
        (r#""tree":"B","raw":"C","lfs":["a.bin"]}"#, r#""cache":"5","is_exact":true}"#);
    assert!(short(&text).contains(ground) && short(&text).ends_with(whole), "{text}");
    assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), exact);
    let more = text.replacen('{', r#"{"more":1,"#, 1);
    assert!(serde_json::from_str::<Recorded>(&more).is_err());
}

/// CX-10: drift is stored in this form, and is read back from it.
#[test]
fn drift_has_one_form() {
    let drift = Drift {
        moved: Some(Moved::Committed { from: None, to: object("c"), commits: 2 }),
        files: vec![
            FileDrift {
                path: "new".into(),
                kind: Kind::Renamed { from: "old".into() },
                before: Some(State::File { object: object("a"), mode: 0o644 }),
                after: Some(State::Ignored { digest: digest("1"), size: 3, mode: 0o600 }),
                follows: true,
            },
            FileDrift {
                path: "x".into(),
                kind: Kind::LineEndings,
                before: None,
                after: Some(State::Special { kind: SpecialKind::Pipe }),
                follows: false,
            },
        ],
        settings: vec![SettingDrift {
            name: "config core.hookspath".into(),
            before: None,
            after: Some(digest("2")),
            was: Vec::new(),
            is: Vec::new(),
        }],
        notes: vec![Note::CacheLost, Note::WentAndCameBack { times: 2 }],
    };
    let expected = r#"{"moved":{"how":"committed","from":null,"to":"C","commits":2},"files":[{"path":"new","kind":{"renamed":{"from":"old"}},"before":{"is":"file","object":"A","mode":420},"after":{"is":"ignored","digest":"1","size":3,"mode":384},"follows":true},{"path":"x","kind":"line_endings","before":null,"after":{"is":"special","kind":"pipe"},"follows":false}],"settings":[{"name":"config core.hookspath","before":null,"after":"2"}],"notes":[{"note":"cache_lost"},{"note":"went_and_came_back","times":2}]}"#;
    let text = serde_json::to_string(&drift).unwrap();
    assert_eq!(short(&text), expected);
    assert_eq!(serde_json::from_str::<Drift>(&text).unwrap(), drift);
}

/// CX-10: what was added later has this form, and is not there where there is nothing to say.
#[test]
fn later_fields_have_one_form() {
    let said = Said { at: Some("/r/.git/config".into()), text: Some("true".into()) };
    let setting = Setting {
        name: "config core.bare".into(),
        digest: digest("2"),
        said: vec![said.clone(), Said { at: None, text: None }],
    };
    let expected = r#"{"name":"config core.bare","digest":"2","said":[{"at":"/r/.git/config","text":"true"},{}]}"#;
    assert_eq!(short(&serde_json::to_string(&setting).unwrap()), expected);
    let name = "config core.bare".into();
    let (was, is) = (vec![said.clone()], vec![said]);
    let drift = SettingDrift { name, before: None, after: None, was, is };
    let expected = r#"{"name":"config core.bare","before":null,"after":null,"was":[{"at":"/r/.git/config","text":"true"}],"is":[{"at":"/r/.git/config","text":"true"}]}"#;
    assert_eq!(serde_json::to_string(&drift).unwrap(), expected);
    let ground = Ground {
        path: "sub".into(),
        head: None,
        tree: object("b"),
        raw: None,
        lfs: Vec::new(),
        is_submodule: true,
    };
    let expected = r#"{"path":"sub","head":null,"tree":"B","is_submodule":true}"#;
    assert_eq!(short(&serde_json::to_string(&ground).unwrap()), expected);
    let state = State::Repository { head: None, is_submodule: true };
    let expected = r#"{"is":"repository","head":null,"is_submodule":true}"#;
    assert_eq!(serde_json::to_string(&state).unwrap(), expected);
}

/// The same text with ids of one digit in place of the long ones.
fn short(text: &str) -> String {
    let mut text = text.to_owned();
    for digit in ["a", "b", "c"] {
        text = text.replace(&digit.repeat(40), &digit.to_uppercase());
    }
    for digit in ["0", "1", "2", "3", "4", "5"] {
        text = text.replace(&digit.repeat(64), digit);
    }
    text
}
