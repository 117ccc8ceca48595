.PHONY: demo test check format warnings packages docs benchmark

# What `swift format` looks at.
SWIFT = Package.swift Sources Tests \
  Examples/Package.swift Examples/Sources Benchmarks/Package.swift Benchmarks/Sources

# Imports a week of earthquakes into a store file and asks it questions.
demo:
	@Scripts/setup
	swift run --package-path Examples Quakes

# The tests, with the invariants of the package's data structures checked after each change.
test:
	@Scripts/setup
	OPENSWIFTDATA_INVARIANTS=1 swift test

# What needs no build: layers, documentation comments and samples, names of targets, format.
check:
	Scripts/check-layers
	Scripts/check-docs
	Scripts/check-samples
	Scripts/check-targets
	swift format lint --strict --recursive $(SWIFT)

format:
	swift format --in-place --recursive $(SWIFT)

# No compiler warning in the sources and tests; `Scripts/check-warnings release` for a release build.
warnings:
	@Scripts/setup
	Scripts/check-warnings debug

# The packages of their own, Examples and Benchmarks, compile. They share the objects of `make test`.
packages:
	@Scripts/setup
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Examples --scratch-path .build
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Benchmarks --scratch-path .build

# The documentation as a static site in .build/documentation; fails on a warning.
docs:
	@Scripts/setup
	Scripts/build-docs

# SwiftData beside handwritten SQLite code and GRDB.
benchmark:
	@Scripts/setup
	swift run --package-path Benchmarks -c release Benchmarks
