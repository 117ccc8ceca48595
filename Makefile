.PHONY: demo chinook upgrade trips trips-postgres trips-tool remote-store migrate serve blog-test blog-check \
  blog-load blog-load-postgres tool tool-postgres test test-sqlite runtime diagnostics check samples format warnings type-checking packages release \
  browser browser-store browser-postgres docs benchmark benchmark-postgres

# What `swift format` looks at.
SWIFT = Package.swift Sources Tests Tools/Package.swift Tools/Sources Interchange/Program \
  Examples/Package.swift Examples/Sources Examples/Trips/Package.swift Examples/Trips/Sources \
  Examples/RemoteStore/Package.swift Examples/RemoteStore/Sources \
  Examples/Blog/Package.swift Examples/Blog/Sources Examples/Blog/Tests \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Postgres/Package.swift Benchmarks/Postgres/Sources

# Builds a package of its own into the folder of this one. Without the flag SwiftPM takes the plan that is
# in the folder for that of the package.
NESTED = --scratch-path .build --disable-build-manifest-caching

# Imports a week of earthquakes into a store file and asks it questions. What it builds of
# swift-syntax serves `make test` too.
demo:
	@Scripts/setup
	swift run --package-path Examples $(NESTED) Quakes $(ARGUMENTS)

# The other examples and the command-line tool. They share the objects of `make demo`; the variable
# ARGUMENTS has the arguments of the program: make tool ARGUMENTS="inspect app.store".
chinook:
	@Scripts/setup
	swift run --package-path Examples $(NESTED) Chinook $(ARGUMENTS)

upgrade:
	@Scripts/setup
	swift run --package-path Examples $(NESTED) Upgrade $(ARGUMENTS)

trips:
	@Scripts/setup
	swift run --package-path Examples/Trips $(NESTED) Trips $(ARGUMENTS)

# Trips in PostgreSQL: in the database of TRIPS_DATABASE, or in a server that runs until Trips ends.
trips-postgres:
	@Scripts/setup --postgres
	Scripts/with-postgres TRIPS_DATABASE swift run --package-path Examples/Trips $(NESTED) --traits PostgreSQL \
	  Trips $(ARGUMENTS)

trips-tool:
	@Scripts/setup
	swift run --package-path Examples/Trips $(NESTED) TripsTool $(ARGUMENTS)

remote-store:
	@Scripts/setup
	swift run --package-path Examples/RemoteStore $(NESTED) RemoteNotes

# A server, built with optimisation. It enables the trait Observability, which all modules see, so it has a folder of
# its own. With DATABASE_URL in the environment it is built with libpq, and uses that PostgreSQL database.
BLOG = --package-path Examples/Blog --scratch-path .build-blog -c release $(if $(DATABASE_URL),--traits PostgreSQL)

BLOG_STORE = $(if $(STORE),--store $(STORE))

migrate:
	@Scripts/setup $(if $(DATABASE_URL),--postgres)
	swift run $(BLOG) Blog migrate $(BLOG_STORE)

serve: migrate
	swift run $(BLOG) Blog serve $(BLOG_STORE) $(ARGUMENTS)

# The server and its clients: conflicts, kill -9, full disk, malformed requests; then the tests of the product
# SwiftDataObservability. `Scripts/check-blog --moments 200` takes longer.
blog-test:
	@Scripts/setup $(if $(DATABASE_URL),--postgres)
	swift build $(BLOG) --product Blog
	Scripts/check-blog $(ARGUMENTS)
	swift test $(BLOG)

# The same without optimisation, which builds faster.
blog-check:
	@Scripts/setup --postgres
	swift test --package-path Examples/Blog --scratch-path .build-blog --traits PostgreSQL
	Scripts/check-blog --program .build-blog/debug/Blog $(ARGUMENTS)

# Requests per second beside the same server with GRDB, by handwritten SQL and by associations. Needs wrk.
blog-load:
	@Scripts/setup
	swift build --package-path Examples/Blog --scratch-path .build-blog -c release --traits Comparison
	Scripts/measure-blog $(ARGUMENTS)

# The same in PostgreSQL, beside handwritten SQL through libpq.
blog-load-postgres:
	@Scripts/setup --development
	swift build --package-path Examples/Blog --scratch-path .build-blog -c release --traits Comparison,PostgreSQL
	Scripts/with-postgres DATABASE_URL Scripts/measure-blog $(ARGUMENTS)

tool:
	@Scripts/setup
	swift run --package-path Tools $(NESTED) swiftdata $(ARGUMENTS)

# The tool with its command `copy`, which needs libpq: make tool-postgres ARGUMENTS="copy app.store postgresql://…".
tool-postgres:
	@Scripts/setup --postgres
	swift run --package-path Tools $(NESTED) --traits PostgreSQL swiftdata $(ARGUMENTS)

# The tests, with the invariants of the package's data structures checked after each change. Tests of models and
# contexts run with default stores, then with stores in PostgreSQL; a table says how many of each suite ran on which.
test:
	@Scripts/setup --development
	Scripts/run-tests

# The same without the second half, for a short answer.
test-sqlite:
	@Scripts/setup --postgres
	OPENSWIFTDATA_TEST_DATABASE=sqlite Scripts/run-tests

# What the package assumes of the Swift runtime, by itself.
runtime:
	@Scripts/setup
	Scripts/check-runtime

# What the compiler says about programs that must not compile, with the objects of `make test`.
diagnostics:
	Scripts/check-diagnostics

# The samples of the articles compile, each with the prelude of its article; with the objects of `make test`.
samples:
	Scripts/check-samples --compile

# What needs no build: layers, documentation comments and samples, names of targets, texts of mutations, format.
check:
	Scripts/check-layers
	Scripts/check-databases
	Scripts/check-docs
	Scripts/check-samples
	Scripts/check-targets
	Scripts/mutate --check
	swift format lint --strict --recursive $(SWIFT)

format:
	swift format --in-place --recursive $(SWIFT)

# No compiler warning in the sources and tests; `Scripts/check-warnings release` for a release build.
warnings:
	@Scripts/setup --postgres
	Scripts/check-warnings debug

# Predicates type-check wherever Foundation's macro alone does, and about as fast.
type-checking:
	@Scripts/setup --postgres
	OPENSWIFTDATA_INVARIANTS=1 swift build
	Scripts/measure-type-checking --parts 1-4 --spellings constant,descriptor,parameter --bar

# The packages of their own compile: Examples, Trips, RemoteStore, Tools, Benchmarks with Postgres; files go through the programs of
# Interchange. They share the objects of `make test`.
packages:
	@Scripts/setup
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Examples $(NESTED)
	@Scripts/setup --postgres
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Examples/Trips $(NESTED) --traits PostgreSQL
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Examples/RemoteStore $(NESTED)
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Tools $(NESTED) --traits PostgreSQL
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Benchmarks $(NESTED)
	OPENSWIFTDATA_INVARIANTS=1 swift build --package-path Benchmarks/Postgres $(NESTED)
	OPENSWIFTDATA_INVARIANTS=1 Scripts/check-interchange

# A program with the package links in a release build. The optimiser can make references that a debug
# build does not have.
release:
	@Scripts/setup
	swift build -c release --product OpenSwiftDataStoreWorker

# The page of the example Trips follows changes of two processes in a headless Chromium, which is installed
# where it is missing. `Scripts/check-browser --pictures` takes the pictures of the README anew, `--no-browser` reads
# the events only. Then the same with two servers of the example on one PostgreSQL database.
browser: browser-store browser-postgres

browser-store:
	@Scripts/setup --development
	Scripts/check-browser

# The page of one server follows what the other changes.
browser-postgres:
	@Scripts/setup --development
	Scripts/check-browser --postgres $(ARGUMENTS)

# The documentation as a static site in .build/documentation; fails on a warning. Says how to read it. Then compares
# the article Additions with the public names of the module.
docs:
	@Scripts/setup --postgres
	Scripts/build-docs
	Scripts/check-additions

# SwiftData beside handwritten SQLite code and GRDB.
benchmark:
	@Scripts/setup
	swift run --package-path Benchmarks -c release Benchmarks

# SwiftData in PostgreSQL beside handwritten code over libpq. Needs libpq and, without the variable
# OPENSWIFTDATA_POSTGRES_URL, a PostgreSQL installation, from which it starts a server. Commits wait for the
# disk with ARGUMENTS=--durable.
benchmark-postgres:
	@Scripts/setup --development
	swift run --package-path Benchmarks/Postgres -c release PostgresBenchmarks $(ARGUMENTS)
