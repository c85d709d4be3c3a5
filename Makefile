# make run    sets up what is missing and starts the TV on port 8080   (ARGS="--port 9000 ...")
# make test   sets up what is missing and runs every test, cards and container too (ARGS="test/game ...")
#
# make image       builds the SD card of a board into image/out       (BOARD=armhf|armel|arm64)
# make qemu        boots that card in an emulated board; the TV is on http://localhost:18080
# make test-image  boots it and tries everything                       (BOARD=..., takes long)
# make bench-image runs the paper's experiments on an emulated board   (BOARD=armel|armhf, ARGS="--times 2")
# make boot-time   how long the card takes to start, trimmed and not  (BOARD=armel|armhf)
# make container   builds the armhf container (Dockerfile.armhf); make test-container builds it and plays on it
# make fuzz   random input for everything that reads bytes from outside (MINUTES=30 or RUNS=1000000, TARGET=http)
# make test-systems   of make test only cards and container: built, booted, spoilt, cut off
# make faults       seeded faults in a running TV: matches come back    (COUNT=1000 SEED=1 ENGINE=zygote)
# make soak         a TV with visitors, watched for leaks             (MINUTES=60 SEED=1 ENGINE=auto)
# make hostile     attacks a TV of each engine, each attack for its whole time; figures in test/output
# make test-powercut  pulls the plug at random moments                 (TIMES=100)

export PATH := $(CURDIR)/.cache/node/bin:$(PATH)

.PHONY: docs run test image qemu test-image bench-image boot-time test-powercut test-systems faults fuzz hostile soak container test-container setup setup-test setup-image setup-container native wasm lint clean

run: setup
	@exec node app/cli.js serve $(ARGS)

test: setup-test
	@exec node test/run.js $(ARGS)

fuzz: setup-test
	@exec node test/fuzz/cli.js $(if $(RUNS),--runs $(RUNS),--minutes $(or $(MINUTES),5)) \
		$(if $(TARGET),--target $(TARGET)) $(if $(SEED),--seed $(SEED)) $(if $(AT),--at $(AT))

hostile: setup-test
	@status=0; for engine in zygote process thread; do \
	  PITV_HOSTILE=full PITV_HOSTILE_ENGINE=$$engine PITV_HOSTILE_JSON=hostile \
	    node test/run.js test/hostile || status=1; \
	done; exit $$status

test-systems: setup-test
	@exec node test/run.js systems

BOARD ?= armhf

image: setup-image
	@exec node image/build.js $(BOARD)

qemu: setup-image
	@exec node image/qemu/cli.js $(BOARD) $(ARGS)

test-image: setup-image
	@exec node test/run.js test/image/boot/$(BOARD)*.js

bench-image: setup-image
	@exec node image/qemu/bench.js $(BOARD) $(ARGS)

boot-time: setup-image
	@exec node image/qemu/boot-time.js $(BOARD)

test-powercut: setup-image
	@PITV_POWER_CUTS=$(or $(TIMES),100) exec node test/run.js test/image/boot/powercut.js

faults: setup-test
	@exec node test/faults/cli.js --count $(or $(COUNT),1000) $(if $(SEED),--seed $(SEED)) --engine $(or $(ENGINE),zygote) $(if $(ONLY),--only "$(ONLY)") $(if $(NOTE),--note "$(NOTE)")

soak: setup-test
	@exec node test/soak/cli.js --minutes $(or $(MINUTES),60) $(if $(SEED),--seed $(SEED)) --engine $(or $(ENGINE),auto) $(if $(NOTE),--note "$(NOTE)")

container: setup-container
	@exec node image/container/build.js

test-container: setup-container
	@exec node test/run.js test/image/container.js

setup:
	@./setup.sh run

setup-test:
	@./setup.sh test

setup-image:
	@./setup.sh image

setup-container:
	@./setup.sh container

# The addon. For another machine: make native CC=arm-linux-gnueabihf-gcc ARCH=arm
native:
	@$(MAKE) --no-print-directory -C app/native
	@$(MAKE) --no-print-directory -C ksm/native

# The WebAssembly kernel, committed built; only needed after a change of app/game/kernel.c.
wasm:
	@$(MAKE) --no-print-directory -C app/game

lint: setup-test
	npx eslint .
	npx prettier --check .
	npx tsc

docs:
	@exec node docs/generate.js

clean:
	rm -rf build test/output
