//! Programs that ask code one question each: they call a function as a task wrote it, and print what it
//! gave as JSON behind a word of ours. What is compared with it is compared elsewhere.

/// Gives the content of a file of the tree.
type Read<'r> = &'r dyn Fn(&str) -> Option<String>;

/// One call to be asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// As it is written: `parse("1.5h")`.
    pub call: &'q str,
    /// The function that it calls.
    pub function: &'q str,
    /// What stands before its name, if anything does: then it must be the file that defines it.
    pub of: Option<&'q str>,
    /// What the answer is printed behind; nobody else knows it.
    pub word: &'q str,
    /// It is asked whether the call fails, and not what it gives.
    pub wants_error: bool,
}

/// The shell command that asks it of a tree with the files `paths`, if exactly one file of the product defines
/// the function and its language is known.
pub fn asked(question: &Question<'_>, paths: &[&str], read: Read<'_>) -> Option<String> {
    let mut defining = paths.iter().filter_map(|path| {
        let ending = path.rsplit_once('.')?.1;
        let text = Tongue::of(ending).and_then(|_| read(path))?;
        let tongue = Tongue::of(ending)?;
        tongue.defines(&text, question.function).then_some((tongue, *path, text))
    });
    let (tongue, path, text) = defining.next()?;
    if defining.next().is_some() || !question.of.is_none_or(|of| is_called(path, of)) {
        return None;
    }
    match tongue {
        Tongue::Python => Some(python(question, path)),
        Tongue::Script => Some(script(question, path)),
        Tongue::Rust => rust(question, path, (paths, read)),
        Tongue::Go => go(question, path, &text),
    }
}

/// Whether a file is what stands before a dot: `money` for `src/money.py` and for `money/parse.go`.
fn is_called(path: &str, of: &str) -> bool {
    let stem = path.rsplit('/').next().unwrap_or(path).split('.').next();
    let folder = path.rsplit('/').nth(1);
    stem == Some(of) || folder == Some(of)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tongue {
    Python,
    Script,
    Rust,
    Go,
}

impl Tongue {
    fn of(ending: &str) -> Option<Self> {
        match ending {
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" => Some(Self::Script),
            "rs" => Some(Self::Rust),
            "go" => Some(Self::Go),
            _ => None,
        }
    }

    /// Whether `text` defines a function of this name that others can call.
    fn defines(self, text: &str, name: &str) -> bool {
        let begins = |line: &str, words: &[&str]| {
            words.iter().any(|word| {
                let rest = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(name));
                rest.is_some_and(|rest| rest.trim_start().starts_with(['(', '<', '=']))
            })
        };
        let words: &[&str] = match self {
            Self::Python => &["def ", "async def "],
            Self::Rust => &["pub fn ", "pub const fn "],
            Self::Go => &["func "],
            Self::Script => &[
                "function ",
                "export function ",
                "export default function ",
                "async function ",
                "export async function ",
                "const ",
                "export const ",
                "exports.",
                "module.exports.",
            ],
        };
        // At the beginning of a line: what is inside of something else can't be called by its name.
        text.lines().any(|line| begins(line, words))
    }
}

fn python(question: &Question<'_>, path: &str) -> String {
    let inside = path.strip_prefix("src/").unwrap_or(path);
    let whole = inside.trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".");
    let (folder, stem) = path.rsplit_once('/').unwrap_or((".", path));
    let stem = stem.trim_end_matches(".py");
    let (call, word) = (quoted(question.call), question.word);
    let value = format!(
        "value = eval({call}, vars(module))\nif inspect.isawaitable(value):\n    value = asyncio.run(value)\n"
    );
    // A name that is not there is a mistake of ours, and no answer.
    let value = if question.wants_error {
        let inner = value.replace('\n', "\n    ");
        format!(
            "try:\n    {inner}value = {{'$error': False}}\nexcept NameError:\n    sys.exit(1)\nexcept Exception:\n    value = {{'$error': True}}\n"
        )
    } else {
        value
    };
    let program = format!(
        "import asyncio, importlib, inspect, json, sys\n\
         sys.path[:0] = ['src', '.']\n\
         try:\n    module = importlib.import_module({whole})\n\
         except ImportError:\n    sys.path.insert(0, {folder})\n    module = importlib.import_module({stem})\n\
         {value}\
         def is_plain(value):\n    if type(value) in (list, tuple):\n        return all(map(is_plain, value))\n    \
         if type(value) is dict:\n        return all(type(key) is str and is_plain(value[key]) for key in value)\n    \
         return value is None or type(value) in (bool, int, float, str)\n\
         if is_plain(value):\n    print('\\n{word}' + json.dumps(value), flush=True)\n",
        whole = quoted(&whole),
        folder = quoted(folder),
        stem = quoted(stem),
    );
    format!(
        "interpreter=python3; [ -x .venv/bin/python ] && interpreter=.venv/bin/python\n\"$interpreter\" - <<'{word}'\n{program}{word}\n"
    )
}

fn script(question: &Question<'_>, path: &str) -> String {
    let (call, word) = (quoted(&format!("return ({})", question.call)), question.word);
    let (path, function) = (quoted(path), quoted(question.function));
    let value = if question.wants_error {
        "const value = await ask().then(() => ({ $error: false }), (error) => {\n  \
         if (error instanceof ReferenceError) process.exit(1)\n  return { $error: true }\n})"
    } else {
        "const value = await ask()"
    };
    let program = format!(
        "import {{ pathToFileURL }} from 'node:url'\n\
         const module = await import(pathToFileURL({path}).href)\n\
         const main = module.default\n\
         const known = {{ ...(main && typeof main === 'object' ? main : {{}}), ...module }}\n\
         if (typeof main === 'function') known[main.name || {function}] ??= main\n\
         delete known.default\n\
         const names = Object.keys(known).filter((name) => /^[A-Za-z_$][\\w$]*$/.test(name))\n\
         const ask = async () => await new Function(...names, {call})(...names.map((name) => known[name]))\n\
         {value}\n\
         const is_plain = (value) => value === null || ['string', 'boolean'].includes(typeof value)\n  \
         || (typeof value === 'number' && Number.isFinite(value))\n  \
         || (Array.isArray(value) && value.every(is_plain))\n  \
         || (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(is_plain))\n\
         if (is_plain(value)) process.stdout.write('\\n{word}' + JSON.stringify(value) + '\\n')\n"
    );
    format!("node --input-type=module - <<'{word}'\n{program}{word}\n")
}

fn rust(question: &Question<'_>, path: &str, (paths, read): (&[&str], Read<'_>)) -> Option<String> {
    let (package, inside) = path.rsplit_once("src/")?;
    if !paths.contains(&format!("{package}src/lib.rs").as_str()) {
        return None;
    }
    let manifest = read(&format!("{package}Cargo.toml"))?;
    let name = manifest.lines().skip_while(|line| line.trim() != "[package]").find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "name").then(|| value.trim().trim_matches('"').replace('-', "_"))
    })?;
    let modules = inside.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
    let root = read(&format!("{package}src/lib.rs"))?;
    let first = modules.split("::").next().unwrap_or_default();
    let uses = if inside != "lib.rs" && root.contains(&format!("pub mod {first};")) {
        format!("{name}::{modules}")
    } else {
        name
    };
    let (call, word) = (question.call, question.word);
    let folder = if package.is_empty() { "." } else { package };
    let said = if question.wants_error {
        format!(
            "let said = std::panic::catch_unwind(|| format!(\"{{:?}}\", {call}));\n    \
             let fails = said.map_or(true, |said| said == \"None\" || said.starts_with(\"Err(\"));\n    \
             println!(\"\\n{word}{{{{\\\"$error\\\":{{fails}}}}}}\");"
        )
    } else {
        format!("println!(\"\\n{word}{{:?}}\", {call});")
    };
    Some(format!(
        "cd {folder} && mkdir -p examples && cat > examples/{word}.rs <<'{word}'\n\
         use {uses}::*;\n\nfn main() {{\n    {said}\n}}\n{word}\n\
         cargo run --quiet --offline --example {word}\n"
    ))
}

fn go(question: &Question<'_>, path: &str, text: &str) -> Option<String> {
    let package = text.lines().find_map(|line| line.strip_prefix("package "))?.trim();
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let (call, word) = (question.call, question.word);
    let (failed, begins) = if question.wants_error {
        let prints =
            |fails: bool| format!("fmt.Printf(\"\\n{word}{{\\\"$error\\\":{fails}}}\\n\")");
        (
            format!(
                "\t\t{}\n\t\treturn\n\t}}\n\tif true {{\n\t\t{}\n",
                prints(true),
                prints(false)
            ),
            format!(
                "\tdefer func() {{\n\t\tif recover() != nil {{\n\t\t\t{}\n\t\t}}\n\t}}()\n",
                prints(true)
            ),
        )
    } else {
        (String::new(), String::new())
    };
    Some(format!(
        "cd {folder} && cat > {word}_test.go <<'{word}'\n\
         package {package}\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"testing\"\n)\n\n\
         func show{word}(values ...interface{{}}) {{\n\
         \tif err, isError := values[len(values)-1].(error); isError && err != nil {{\n{failed}\t\treturn\n\t}}\n\
         \tif text, err := json.Marshal(values[0]); err == nil {{\n\t\tfmt.Printf(\"\\n{word}%s\\n\", text)\n\t}}\n}}\n\n\
         func TestX{word}(t *testing.T) {{\n{begins}\tshow{word}({call})\n}}\n{word}\n\
         go test -count=1 -run '^TestX{word}$' -v .\n"
    ))
}

/// A text as Python and JavaScript both write it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// What was printed behind `word`, the last time.
pub fn answer<'o>(output: &'o str, word: &str) -> Option<&'o str> {
    output.lines().rev().find_map(|line| line.trim_end().strip_prefix(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(paths: &[(&str, &str)], function: &str, of: Option<&str>) -> Option<String> {
        let names: Vec<&str> = paths.iter().map(|(path, _)| *path).collect();
        let read = |path: &str| {
            paths.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
        };
        let call = format!("{function}(1)");
        let question = Question { call: &call, function, of, word: "w0", wants_error: false };
        asked(&question, &names, &read)
    }

    /// VC-06: only a function that is defined once, where others can call it, is asked.
    #[test]
    fn only_what_is_known_is_asked() {
        let python = [("shop/rates.py", "def rate(n):\n    return n\n")];
        assert!(ask(&python, "rate", None).unwrap().contains("shop.rates"));
        assert!(ask(&python, "rate", Some("rates")).is_some());
        assert_eq!(ask(&python, "rate", Some("Other")), None);
        assert_eq!(ask(&python, "rat", None), None);
        let inside = [("a.py", "class A:\n    def rate(self):\n        pass\n")];
        assert_eq!(ask(&inside, "rate", None), None);
        let twice = [("a.py", "def f():\n    pass\n"), ("b.py", "def f():\n    pass\n")];
        assert_eq!(ask(&twice, "f", None), None);
        let rust = [
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod rates;\n"),
            ("src/rates.rs", "pub fn rate(n: u32) -> u32 { n }\n"),
        ];
        assert!(ask(&rust, "rate", None).unwrap().contains("use my_shop::rates::*;"));
        assert_eq!(ask(&rust[2..], "rate", None), None);
        let go = [("a/rate.go", "package rates\n\nfunc Rate(n int) int {\n\treturn n\n}\n")];
        assert!(ask(&go, "Rate", Some("a")).unwrap().contains("package rates"));
        let script = [("lib/rate.js", "export function rate(n) {\n  return n\n}\n")];
        assert!(ask(&script, "rate", None).unwrap().starts_with("node"));
    }

    #[test]
    fn the_last_answer_counts() {
        assert_eq!(answer("x\nw01\nw02\ny", "w0"), Some("2"));
        assert_eq!(answer("x", "w0"), None);
    }
}
