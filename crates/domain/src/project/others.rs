//! .NET, Ruby, PHP, Terraform and SQL.

use std::collections::BTreeSet;

use super::add::Script;
use super::files::{Files, Lookup, join, split, upwards};
use super::names::{SCRIPT, STACK};
use super::types::{Activity, Evidence, Part, Stack};

/// A tool of a stack: its files, and what it is called with.
type Row = (Activity, &'static [&'static str], &'static [&'static str]);

/// Adds each row one of whose files is there.
fn add_rows(files: &Files<'_>, part: &mut Part, rows: &[Row]) {
    for (place, (activity, names, argv)) in (0..).zip(rows) {
        if let Some(file) = files.first(&part.folder, names) {
            let why = Evidence::new(file, 0, "it is set up");
            part.add(*activity, STACK + place.min(9), argv, why);
        }
    }
}

fn has_end(path: &str, ends: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end))
}

pub(super) fn dotnet(files: &Files<'_>) -> Vec<Part> {
    let (mut solutions, mut projects) = (BTreeSet::new(), BTreeSet::new());
    for path in files.below("") {
        match path.rsplit_once('.').map(|(_, end)| end) {
            Some("sln" | "slnx") => drop(solutions.insert(split(path).0)),
            Some("csproj" | "fsproj" | "vbproj") => drop(projects.insert(split(path).0)),
            _ => {}
        }
    }
    let is_member = |folder: &&str| upwards(folder).any(|above| solutions.contains(above));
    let alone = projects.iter().copied().filter(|folder| !is_member(folder));
    let roots: BTreeSet<&str> = solutions.iter().copied().chain(alone).collect();
    let ends = ["sln", "slnx", "csproj", "fsproj", "vbproj"];
    let part = |folder: &str| {
        let mut part = Part::new(folder, Stack::Dotnet);
        let file = files.below(folder).find(|path| split(path).0 == folder && has_end(path, &ends));
        let why = || Evidence::new(file.unwrap_or_default(), 0, "a .NET project");
        part.add(Activity::Build, STACK, &["dotnet", "build"], why());
        part.add(Activity::Typecheck, STACK, &["dotnet", "build"], why());
        part.add(Activity::Unit, STACK, &["dotnet", "test"], why());
        part.add(Activity::Format, STACK, &["dotnet", "format", "--verify-no-changes"], why());
        if let Some((argv, why)) = dotnet_coverage(files, folder) {
            part.add(Activity::Coverage, STACK, argv, why);
        }
        part
    };
    roots.into_iter().map(part).collect()
}

/// What measures coverage in .NET: a package that a project refers to, and how it is asked. The longest
/// names come first, as others begin like them.
const DOTNET_COVERAGE: &[(&str, &[&str])] = &[
    ("coverlet.collector", &["dotnet", "test", "--collect:XPlat Code Coverage"]),
    ("coverlet.msbuild", &["dotnet", "test", "/p:CollectCoverage=true"]),
    ("Microsoft.Testing.Extensions.CodeCoverage", &["dotnet", "test", "--", "--coverage"]),
    ("Microsoft.CodeCoverage", &["dotnet", "test", "--collect:Code Coverage"]),
];

/// How the projects below `folder` measure their coverage, and the line that says so.
fn dotnet_coverage(files: &Files<'_>, folder: &str) -> Option<(&'static [&'static str], Evidence)> {
    let is_project = |path: &&str| has_end(path, &["csproj", "fsproj", "vbproj", "props"]);
    let projects: Vec<&str> = files.below(folder).filter(is_project).collect();
    DOTNET_COVERAGE.iter().find_map(|(package, argv)| {
        let names = [format!("\"{package}\""), format!("'{package}'")];
        let refers = |line: &str| {
            (line.contains("PackageReference") || line.contains("PackageVersion"))
                && names.iter().any(|name| line.contains(name))
        };
        projects.iter().find_map(|path| {
            let line = files.text(path)?.lines().position(refers)?;
            Some((*argv, files.evidence(path, line + 1)))
        })
    })
}

const RUBY: &[Row] = &[
    (Activity::Unit, &[".rspec", "spec/spec_helper.rb"], &["bundle", "exec", "rspec"]),
    (Activity::Unit, &["bin/rails"], &["bin/rails", "test"]),
    (Activity::Unit, &["test/test_helper.rb"], &["bundle", "exec", "rake", "test"]),
    (Activity::Lint, &[".rubocop.yml"], &["bundle", "exec", "rubocop"]),
    (Activity::Lint, &[".standard.yml"], &["bundle", "exec", "standardrb"]),
    (Activity::Typecheck, &["sorbet/config"], &["bundle", "exec", "srb", "tc"]),
    (Activity::Typecheck, &["Steepfile"], &["bundle", "exec", "steep", "check"]),
    (
        Activity::Mutation,
        &[".mutant.yml", "config/mutant.yml"],
        &["bundle", "exec", "mutant", "run"],
    ),
];

pub(super) fn ruby(files: &Files<'_>) -> Vec<Part> {
    let part = |folder: &&str| {
        let mut part = Part::new(folder, Stack::Ruby);
        add_rows(files, &mut part, RUBY);
        // Rails runs its tests with Minitest, unless RSpec is there.
        for tool in &mut part.tools {
            if tool.activity == Activity::Unit && tool.runner.is_none() {
                tool.runner = Some(super::Runner::Minitest);
            }
        }
        part
    };
    files.folders_with("Gemfile").iter().map(part).collect()
}

const PHP: &[Row] = &[
    (Activity::Unit, &["tests/Pest.php"], &["vendor/bin/pest"]),
    (
        Activity::Unit,
        &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"],
        &["vendor/bin/phpunit"],
    ),
    (
        Activity::Typecheck,
        &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"],
        &["vendor/bin/phpstan", "analyse"],
    ),
    (Activity::Typecheck, &["psalm.xml", "psalm.xml.dist"], &["vendor/bin/psalm"]),
    (Activity::Lint, &["phpcs.xml", "phpcs.xml.dist", ".phpcs.xml.dist"], &["vendor/bin/phpcs"]),
    (Activity::Format, &["pint.json"], &["vendor/bin/pint", "--test"]),
    (
        Activity::Format,
        &[".php-cs-fixer.php", ".php-cs-fixer.dist.php"],
        &["vendor/bin/php-cs-fixer", "check"],
    ),
    (
        Activity::Mutation,
        &["infection.json", "infection.json5", "infection.json.dist"],
        &["vendor/bin/infection"],
    ),
];

pub(super) fn php(files: &Files<'_>) -> Vec<Part> {
    let part = |folder: &&str| {
        let mut part = Part::new(folder, Stack::Php);
        let file = join(folder, "composer.json");
        let own = files.json(&file, "Composer");
        let scripts = own.as_ref().and_then(|own| own.at(&["scripts"]));
        for (name, line, node) in scripts.map(Lookup::as_entries).unwrap_or_default() {
            let texts: Vec<&str> = node.as_texts().into_iter().map(|(text, _)| text).collect();
            let text = node.as_text().map_or_else(|| texts.join(" && "), str::to_owned);
            let own = node.as_text().into_iter().chain(texts);
            let shells: Vec<String> = own.map(str::to_owned).collect();
            let script =
                Script { name, text: &text, file: &file, line, shells: &shells, rank: SCRIPT };
            part.add_script(files, &script, &["composer", "run-script", name]);
        }
        add_rows(files, &mut part, PHP);
        part
    };
    files.folders_with("composer.json").iter().map(part).collect()
}

pub(super) fn terraform(files: &Files<'_>) -> Vec<Part> {
    // A folder with a lock or a backend is applied; the others are modules that these call.
    let folders: BTreeSet<&str> = files.folders_with_any(&[
        ".terraform.lock.hcl",
        "backend.tf",
        "versions.tf",
        "terraform.tf",
    ]);
    let part = |folder: &str| {
        let mut part = Part::new(folder, Stack::Terraform);
        let file = files.below(folder).find(|path| has_end(path, &["tf"]));
        let why = || Evidence::new(file.unwrap_or_default(), 0, "Terraform files");
        part.add(Activity::Typecheck, STACK, &["terraform", "validate"], why());
        part.add(Activity::Format, STACK, &["terraform", "fmt", "-check", "-recursive"], why());
        let lint = upwards(folder).find_map(|above| files.first(above, &[".tflint.hcl"]));
        if let Some(file) = lint {
            part.add(
                Activity::Lint,
                STACK,
                &["tflint"],
                Evidence::new(file, 0, "tflint is set up"),
            );
        }
        let test = files.below(folder).find(|path| path.ends_with(".tftest.hcl"));
        if let Some(test) = test {
            part.add(
                Activity::Unit,
                STACK,
                &["terraform", "test"],
                Evidence::new(test, 0, "a test"),
            );
        }
        part
    };
    let has_code = |folder: &&str| files.below(folder).any(|path| has_end(path, &["tf"]));
    folders.into_iter().filter(has_code).map(part).collect()
}

/// SQL that sqlfluff is set up for.
pub(super) fn sql(files: &Files<'_>) -> Vec<Part> {
    let part = |folder: &&str| {
        let mut part = Part::new(folder, Stack::Sql);
        let why = Evidence::new(join(folder, ".sqlfluff"), 0, "sqlfluff is set up");
        part.add(Activity::Lint, STACK, &["sqlfluff", "lint", "."], why);
        part
    };
    files.folders_with(".sqlfluff").iter().map(part).collect()
}
