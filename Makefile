.PHONY: demo test check benchmark

# Imports a week of earthquakes into a store file and asks it questions.
demo:
	@Scripts/setup
	swift run --package-path Examples Quakes

test:
	@Scripts/setup
	swift test

check:
	Scripts/check-layers
	Scripts/check-docs

# SwiftData beside handwritten SQLite code and GRDB.
benchmark:
	@Scripts/setup
	swift run --package-path Benchmarks -c release Benchmarks
