//! Java, Kotlin and their kin: Maven and Gradle, through their wrappers where there are any.

use std::collections::BTreeSet;

use super::comments::{without_slashes, without_xml};
use super::files::{Files, join, upwards};
use super::names::STACK;
use super::types::{Activity, Evidence, Part, Stack};

/// How many modules of modules are followed.
const MAX_MODULES: usize = 2_000;

pub(super) fn maven(files: &Files<'_>) -> Vec<Part> {
    let folders = files.folders_with("pom.xml");
    let mut members: BTreeSet<String> = BTreeSet::new();
    for folder in folders {
        let text = files.text(&join(folder, "pom.xml")).unwrap_or_default();
        for module in modules(&without_xml(&text)) {
            let module = module.trim_end_matches("/pom.xml").trim_matches('/');
            if members.len() < MAX_MODULES && !module.is_empty() && module != "." {
                members.insert(join(folder, module));
            }
        }
    }
    let roots = folders.iter().filter(|folder| !members.contains(**folder));
    roots.map(|folder| maven_part(files, folder)).collect()
}

/// What stands between `<module>` and its end.
fn modules(text: &str) -> Vec<&str> {
    let pieces = text.split("<module>").skip(1);
    pieces.filter_map(|piece| piece.split_once("</module>")).map(|(name, _)| name.trim()).collect()
}

fn maven_part(files: &Files<'_>, folder: &str) -> Part {
    let mut part = Part::new(folder, Stack::Maven);
    let file = join(folder, "pom.xml");
    let text = without_xml(&files.text(&file).unwrap_or_default());
    let why = |word: &str| evidence(&file, &text, word);
    if !text.contains("<project") {
        files.odd((&file, 1), "it has no <project>, so Maven refuses it", "put it right");
    }
    let mvn = if files.has(&join(folder, "mvnw")) { "./mvnw" } else { "mvn" };
    let project = why("<project").unwrap_or_else(|| Evidence::new(&file, 0, "a Maven project"));
    let argv = |words: &[&'static str]| [&[mvn, "-B"], words].concat();
    part.add(Activity::Build, STACK, &argv(&["-DskipTests", "package"]), project.clone());
    part.add(Activity::Typecheck, STACK, &argv(&["test-compile"]), project.clone());
    part.add(Activity::Unit, STACK, &argv(&["test"]), project);
    for (word, activity, words) in [
        ("maven-failsafe-plugin", Activity::Integration, &["verify"][..]),
        ("maven-checkstyle-plugin", Activity::Lint, &["checkstyle:check"]),
        ("spotbugs-maven-plugin", Activity::Lint, &["spotbugs:check"]),
        ("maven-pmd-plugin", Activity::Lint, &["pmd:check"]),
        ("detekt-maven-plugin", Activity::Lint, &["detekt:check"]),
        ("spotless-maven-plugin", Activity::Format, &["spotless:check"]),
        ("jacoco-maven-plugin", Activity::Coverage, &["verify"]),
        ("pitest-maven", Activity::Mutation, &["org.pitest:pitest-maven:mutationCoverage"]),
    ] {
        if let Some(why) = why(word) {
            part.add(activity, STACK, &argv(words), why);
        }
    }
    part
}

/// The first line of a text that has `word` in it.
fn evidence(file: &str, text: &str, word: &str) -> Option<Evidence> {
    let (at, line) = text.lines().enumerate().find(|(_, line)| line.contains(word))?;
    Some(Evidence::new(file, at + 1, line.trim()))
}

/// TOML with empty lines where only comments are.
fn without_hashes(text: &str) -> String {
    let kept =
        |line: &'_ str| if line.trim_start().starts_with('#') { "" } else { line }.to_owned();
    text.lines().map(kept).collect::<Vec<_>>().join("\n")
}

const SETTINGS: &[&str] = &["settings.gradle", "settings.gradle.kts"];
const BUILDS: &[&str] = &["build.gradle", "build.gradle.kts"];

pub(super) fn gradle(files: &Files<'_>) -> Vec<Part> {
    let builds = files.folders_with_any(BUILDS);
    let settings = files.folders_with_any(SETTINGS);
    let is_member = |folder: &&str| upwards(folder).skip(1).any(|above| settings.contains(above));
    let alone = builds.iter().copied().filter(|folder| !is_member(folder));
    let roots: BTreeSet<&str> = settings.iter().copied().chain(alone).collect();
    roots.into_iter().map(|folder| gradle_part(files, folder)).collect()
}

fn gradle_part(files: &Files<'_>, folder: &str) -> Part {
    let mut part = Part::new(folder, Stack::Gradle);
    let gradle = if files.has(&join(folder, "gradlew")) { "./gradlew" } else { "gradle" };
    let known = [SETTINGS, BUILDS].concat();
    let file = files.first(folder, &known).unwrap_or_default();
    let project = Evidence::new(&file, 0, "a Gradle project");
    // What plugins there are may be said in any build file of the project.
    let is_build = |path: &&str| BUILDS.iter().any(|name| path.ends_with(name));
    let told = |path: &str, text: &str| {
        if is_build(&path) { without_slashes(text) } else { without_hashes(text) }
    };
    let texts: Vec<(&str, String)> = files
        .below(folder)
        .filter(|path| is_build(path) || path.ends_with("libs.versions.toml"))
        .take(200)
        .filter_map(|path| Some((path, told(path, &files.text(path)?))))
        .collect();
    let why = |word: &str| texts.iter().find_map(|(path, text)| evidence(path, text, word));
    let android = why("com.android.application").or_else(|| why("com.android.library"));
    let (compile, unit) = match &android {
        Some(_) => ("compileDebugUnitTestSources", "testDebugUnitTest"),
        None => ("testClasses", "test"),
    };
    let project = android.clone().unwrap_or(project);
    part.add(Activity::Build, STACK, &[gradle, "assemble"], project.clone());
    part.add(Activity::Typecheck, STACK, &[gradle, compile], project.clone());
    part.add(Activity::Unit, STACK, &[gradle, unit], project);
    for (word, activity, task) in [
        ("integrationTest", Activity::Integration, "integrationTest"),
        ("detekt", Activity::Lint, "detekt"),
        ("checkstyle", Activity::Lint, "checkstyleMain"),
        ("ktlint", Activity::Format, "ktlintCheck"),
        ("spotless", Activity::Format, "spotlessCheck"),
        ("jacoco", Activity::Coverage, "jacocoTestReport"),
        ("kover", Activity::Coverage, "koverVerify"),
        ("pitest", Activity::Mutation, "pitest"),
    ] {
        if let Some(why) = why(word) {
            part.add(activity, STACK, &[gradle, task], why);
        }
    }
    if let Some(why) = android {
        part.add(Activity::Lint, STACK + 1, &[gradle, "lint"], why);
    }
    part
}
