# make run         sets up what is missing and starts the TV on port 8080 (ARGS="--port 9000 ...")
# make test        sets up what is missing and runs the tests, in minutes (ARGS="test/game ..." runs only those)
# make test-long   runs the same, then the long tests: boards, cards, container (as root)
# make test-all    adds the measurements, and does more of everything
#
# make image       builds the SD card of a board into image/out (BOARD=armhf|armel|arm64|pi5; KEY=folder for updates; KIOSK=1 with a browser; FLEET=yes)
# make check-updates  lists the packages of a card that have security updates (BOARD=... KIOSK=1, or FILE=its .spdx.json)
# make qemu        boots that card in an emulated board; the TV is at http://localhost:18080 (KIOSK=1: and its screen by VNC)
# make test-image  boots that card and tests it (BOARD=...)
# make bench-image runs the paper's experiments on an emulated board (BOARD=armel|armhf)
# make boot-time   measures the start of the card (BOARD=armel|armhf|arm64)
# make packages    makes the npm packages in build/npm: the runtime, ksm, the TV
# make prebuilds   compiles their addons for x64, arm64, ARMv7 and ARMv6
# make update-key  makes the keys that sign updates, in a new folder (KEY=folder), or renews them (ARGS=--leaf, --revoke, --successor)
# make bundle      packs and signs an update of a card (BOARD=armhf|arm64 KEY=folder)
# make release     builds what a release has into a new folder of image/out: npm packages, cards, updates if KEY is given, notes,
#                  checksums, manifest (PARTS="npm armhf arm64-kiosk" builds only those; KEY=folder)
# make container   builds the armhf container (Dockerfile.armhf)
# make test-container  builds the container and tests it
# make test-update     updates a card in an emulated board: good, bad and broken updates (BOARD=armhf|arm64 TIMES=50; 45 minutes and more)
# make test-fleet-cards  boots three armhf cards as a fleet
# make test-systems    runs only the tests of cards, boards, container and fresh Debian systems
# make test-debian     runs make run and make test on fresh Debian 12 and 13, as root and as a user; needs mmdebstrap
# make test-powercut   cuts the power at random moments (TIMES=100)
#
# make fuzz        feeds random input to everything that reads bytes from outside
#                  (MINUTES=30 or RUNS=1000000, TARGET=http SEED=7 AT=3:1:0)
# make faults      injects faults into a running TV and checks that every match recovers
#                  (COUNT=1000 SEED=1 ENGINE=zygote)
# make mutate      changes the code of a room of app/ and lists the changes that no test notices (ROOM=limits TESTS=fast)
# make soak        runs a TV with visitors and looks for leaks (MINUTES=60 SEED=1 ENGINE=auto SCREEN=yes)
# make fleet       starts three TVs that are one console, to play with (docs/fleet.md)
# make fleet-failures  lets parts of a fleet fail and measures how long screens stand still (COUNT=20 ONLY=killed; as root)
# make hostile     runs every attack for its full time against every engine (ENGINE=zygote ONLY=flood); it, fuzz, faults,
#                  fleet-failures and soak print a report in Markdown, with NOTE="what else ran"
# make lint        runs ESLint, Prettier and tsc
# make pages       makes the version of the pages for old browsers
# make docs        generates the parts of docs/ that come from the code

export PATH := $(CURDIR)/.cache/node/bin:$(PATH)

.PHONY: docs run test test-long test-all image check-updates release bundle update-key test-update test-fleet-cards qemu test-image bench-image boot-time test-powercut test-systems test-debian faults fleet fleet-failures fuzz hostile mutate soak container test-container setup native prebuilds packages pages wasm lint clean

run: setup
	@exec node app/cli.js serve $(ARGS)

test: setup-test
	@exec node test/run.js $(ARGS)

test-long: setup-all
	@exec node test/run.js --long $(ARGS)

test-all: setup-all
	@exec node test/run.js --all $(ARGS)

fleet: setup-test
	@exec node test/fleet/cli.js

# The drivers of a TV under test have one command line: test/drive.js NAME OPTION=VALUE.
DRIVER_OPTIONS := COUNT MINUTES RUNS TARGET AT ENGINE SCREEN ONLY SEED NOTE

fuzz: setup-test
faults: setup-test
fleet-failures: setup-test
hostile: setup-test
soak: setup-test
faults fleet-failures fuzz hostile soak:
	@exec node test/drive.js $@ $(foreach option,$(DRIVER_OPTIONS),$(if $($(option)),"$(option)=$($(option))"))

mutate: setup-test
	@ROOM=$(or $(ROOM),limits) TESTS=$(or $(TESTS),all) exec npm exec --yes --cache .cache/npm --package=@stryker-mutator/core@9.0.1 -- \
		stryker run test/mutate.config.js

test-systems: setup-all
	@exec node test/run.js systems

test-debian: setup
	@PITV_DEBIAN=all exec node test/run.js test/image/fresh-debian.js

BOARD ?= armhf

image: setup-image
	@exec node image/build.js $(BOARD) $(if $(FLEET),--fleet) $(if $(KIOSK),--kiosk) $(if $(KEY),--key "$(KEY)") $(ARGS)

check-updates: setup-image
	@exec node image/check-updates.js "$(or $(FILE),$(BOARD))" $(if $(KIOSK),--kiosk) $(ARGS)

update-key: setup-image
	@exec node image/update/key.js $(if $(KEY),--key "$(KEY)") $(ARGS)

bundle: setup-image
	@exec node image/update/bundle.js $(BOARD) $(if $(KIOSK),--kiosk) $(if $(KEY),--key "$(KEY)") $(ARGS)

release: setup-npm $(if $(filter-out npm,$(or $(PARTS),cards)),setup-image)
	@exec node image/release.js $(PARTS) $(if $(KEY),--key "$(KEY)") $(ARGS)

qemu: setup-image
	@exec node image/qemu/cli.js $(BOARD) $(if $(KIOSK),--kiosk) $(if $(KEY),--key "$(KEY)") $(ARGS)

test-image: setup-image
	@PITV_BOARD=$(BOARD) exec node test/run.js test/image/boot/match.js $(if $(filter armhf,$(BOARD)),test/image/boot/armhf.js) \
		$(if $(filter armhf arm64,$(BOARD)),test/image/boot/kiosk.js)

test-update: setup-image
	@PITV_BOARD=$(BOARD) PITV_POWER_CUTS=$(or $(TIMES),1) exec node test/run.js test/image/boot/updates.js

test-fleet-cards: setup-image
	@exec node test/run.js test/image/boot/fleet.js

bench-image: setup-image
	@exec node bench/board/run.js $(BOARD) $(ARGS)

boot-time: setup-image
	@exec node bench/board/boot-time.js $(BOARD)

test-powercut: setup-image
	@PITV_POWER_CUTS=$(or $(TIMES),100) exec node test/run.js test/image/boot/powercut.js

container: setup-container
	@exec node image/container/build.js

test-container: setup-container
	@exec node test/run.js test/image/container.js

setup:
	@./setup.sh run

setup-%:
	@./setup.sh $*

# The addon. For another machine: make native CC=arm-linux-gnueabihf-gcc ARCH=arm
native:
	@$(MAKE) --no-print-directory -C app/native
	@$(MAKE) --no-print-directory -C ksm/native

prebuilds: setup-npm
	@$(MAKE) --no-print-directory -s -C image/npm prebuilds

packages: prebuilds
	@exec node image/npm/pack.js

# The version of the pages for old browsers. Newer browsers run the modules of app/web/ without a build.
ESBUILD ?= $(wildcard node_modules/.bin/esbuild)
PAGES := $(foreach page,screen pad admin wifi replay,$(page)=app/web/$(page)/main.js)

ifneq ($(ESBUILD),)
pages: build/web/screen.js
else
pages:
	@echo "pitv: esbuild is not installed. The pages will need Chromium 94, Firefox 93 or Safari 16.4." >&2
endif

build/web/screen.js: Makefile $(wildcard app/web/*/*.js app/web/*/*/*.js app/game/*.js app/match/player-colors.js)
	$(ESBUILD) $(PAGES) --bundle --minify --charset=utf8 --target=chrome68,safari14 \
		--supported:destructuring=true --inject:app/web/old/polyfills.js --outdir=$(@D) --log-level=warning \
		--tsconfig-raw='{"compilerOptions":{"alwaysStrict":true}}'

# The WebAssembly kernel. It is committed, so this is only needed after a change to app/game/kernel.c.
wasm: setup-wasm
	@$(MAKE) --no-print-directory -C app/game

lint: setup-test
	npx eslint .
	npx prettier --check .
	npx tsc

docs:
	@exec node docs/generate.js

clean:
	rm -rf build test/output
