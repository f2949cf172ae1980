//! The published shape of what `verify --format json` says, held against what it really says.

use std::collections::BTreeSet;

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::{CHECK, PROGRAM, TASK, greeter, has};

/// What is wrong with `value`, if something is: as much of JSON Schema as the published one uses. A word
/// of it that is not known here is a mistake, too.
fn wrong(schema: &Value, root: &Value, value: &Value) -> Result<(), String> {
    let Some(words) = schema.as_object() else {
        return if schema == true { Ok(()) } else { Err(format!("{schema} allows nothing")) };
    };
    for (word, said) in words {
        let holds = match word.as_str() {
            "$ref" => {
                let name = said.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                wrong(&root["$defs"][name], root, value).map_err(|why| format!("{name}: {why}"))?;
                true
            }
            "type" => is_of(said, value),
            "const" => said == value,
            "enum" => said.as_array().unwrap().contains(value),
            "required" => {
                let names = said.as_array().unwrap();
                !value.is_object() || names.iter().all(|n| value.get(n.as_str().unwrap()).is_some())
            }
            "properties" => {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = said.get(name) {
                        wrong(schema, root, inner).map_err(|why| format!("{name}: {why}"))?;
                    } else if !words.contains_key("$ref") {
                        return Err(format!("'{name}' is in no schema"));
                    }
                }
                true
            }
            "items" => {
                for inner in value.as_array().into_iter().flatten() {
                    wrong(said, root, inner)?;
                }
                true
            }
            "anyOf" | "oneOf" => {
                let all = said.as_array().unwrap().iter();
                let many = all.filter(|one| wrong(one, root, value).is_ok()).count();
                if word == "oneOf" { many == 1 } else { many > 0 }
            }
            "minimum" => value.as_f64().is_none_or(|number| number >= said.as_f64().unwrap()),
            "pattern" => {
                // The ids of rules are all there is.
                assert_eq!(said, "^G[0-9]{2}$");
                let text = value.as_str().unwrap();
                text.len() == 3 && text.starts_with('G') && text[1..].parse::<u8>().is_ok()
            }
            "uniqueItems" => {
                let items = value.as_array().into_iter().flatten();
                let items: Vec<String> = items.map(ToString::to_string).collect();
                items.iter().collect::<BTreeSet<_>>().len() == items.len()
            }
            "maximum" | "$schema" | "$defs" | "title" | "description" | "format" | "default" => {
                true
            }
            other => return Err(format!("what does '{other}' mean?")),
        };
        if !holds {
            return Err(format!("{word} {said} does not hold for {value}"));
        }
    }
    Ok(())
}

fn is_of(said: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    said.as_array().map_or_else(|| is(said), |any| any.iter().any(is))
}

fn schema(project: &Project) -> Value {
    project.run(["contract", "schema", "verification", "--format", "json"]).expect(0).data()
}

#[track_caller]
fn fits(project: &Project, words: &[&str], code: i32) -> Value {
    let ran = project.run([&["verify", "--task", TASK, "--format", "json"], words].concat());
    let found = ran.json()["data"].clone();
    assert_eq!(ran.code, Some(code), "{found:#}");
    let schema = schema(project);
    wrong(&schema, &schema, &found).unwrap_or_else(|why| panic!("{why}\n{found:#}"));
    found
}

/// VC-10: results of accepted, refused and asked work have the published shape.
#[test]
fn results_have_the_published_shape() {
    let project = greeter();
    let example = ["--example", "sh greet.sh Bo => Hello, Bo"];
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let found = fits(&project, &[&["--check", CHECK][..], &example[..]].concat(), 0);
    assert_eq!(found["judgement"]["verdict"], "accepted");
    project.write("greet.sh", "echo Hi\n");
    let found = fits(&project, &[&["--check", CHECK][..], &example[..]].concat(), 3);
    assert_eq!(found["judgement"]["verdict"], "refused");
    let found = fits(&project, &["--check", "no-such-program-here"], 4);
    assert_eq!(found["judgement"]["verdict"], "human");
    // What is not of that shape is told.
    let schema = schema(&project);
    for (way, value) in [("/tree", json!(7)), ("/judgement/verdict", json!("maybe"))] {
        let mut other = found.clone();
        *other.pointer_mut(way).unwrap() = value;
        assert!(wrong(&schema, &schema, &other).is_err(), "{way}");
    }
    let mut other = found.clone();
    other.as_object_mut().unwrap().remove("judgement");
    assert!(wrong(&schema, &schema, &other).is_err());
}

/// VC-10: so do results with counted tests, findings of gaming and canaries.
#[test]
fn counted_tests_have_the_published_shape() {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return;
    }
    project.write("calc.py", "def greet(name):\n    return 'Hello'\n");
    project.write("tests/__init__.py", "");
    let test = |name: &str, body: &str| {
        format!(
            "import unittest\nfrom calc import greet\n\n\nclass GreetTest(unittest.TestCase):\n    \
             def test_hello(self):\n        self.assertTrue(greet('x').startswith('Hello'))\n\n    \
             def {name}(self):\n        {body}\n"
        )
    };
    let strong = test("test_name", "self.assertEqual(greet('Ada'), 'Hello, Ada')");
    project.write("tests/test_calc.py", &strong);
    project.commit("A greeter");
    project.write("calc.py", "def greet(name):\n    return f'Hello, {name}'\n");
    let found = fits(&project, &[], 0);
    assert!(
        found["checks"].to_string().contains("canar") || !found["checks"][0]["planted"].is_null()
    );
    project.write("calc.py", "def greet(name):\n    return 'Hello'\n# done\n");
    project.write("tests/test_calc.py", test("test_name", "self.assertTrue(True)"));
    let found = fits(&project, &[], 3);
    assert!(!found["findings"].as_array().unwrap().is_empty(), "{found:#}");
}
