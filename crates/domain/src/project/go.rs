//! Go: modules, whether or not a workspace binds them.

use super::files::{Files, join, upwards};
use super::names::STACK;
use super::types::{Activity, Command, Evidence, Part, Stack};

pub(super) fn parts(files: &Files<'_>) -> Vec<Part> {
    files.folders_with("go.mod").iter().map(|folder| part(files, folder)).collect()
}

fn part(files: &Files<'_>, folder: &str) -> Part {
    let mut part = Part::new(folder, Stack::Go);
    let file = join(folder, "go.mod");
    let text = files.text(&file).unwrap_or_default();
    let named = text.lines().enumerate().find(|(_, line)| line.trim_start().starts_with("module"));
    if named.is_none() {
        files.odd((&file, 1), "it names no module, so go refuses it", "begin it with: module NAME");
    }
    let (line, shown) = named.map_or((0, "a module"), |(at, line)| (at + 1, line.trim()));
    let why = || Evidence::new(&file, line, shown);
    part.add(Activity::Build, STACK, &["go", "build", "./..."], why());
    part.add(Activity::Typecheck, STACK, &["go", "vet", "./..."], why());
    part.add(Activity::Unit, STACK, &["go", "test", "./..."], why());
    part.add(Activity::Coverage, STACK, &["go", "test", "-cover", "./..."], why());
    part.add_command(
        Activity::Format,
        STACK,
        Command::of_shell("test -z \"$(gofmt -l .)\""),
        why(),
    );
    let configs = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];
    let golangci = upwards(folder).find_map(|above| files.first(above, &configs));
    match golangci {
        Some(config) => {
            let why = Evidence::new(config, 0, "golangci-lint is set up");
            part.add(Activity::Lint, STACK, &["golangci-lint", "run", "./..."], why);
        }
        None => part.add(Activity::Lint, STACK + 1, &["go", "vet", "./..."], why()),
    }
    part
}
