# make run    sets up what is missing and starts the TV on port 8080   (ARGS="--port 9000 ...")
# make test   sets up what is missing and runs every test              (ARGS="test/game ...")

export PATH := $(CURDIR)/.cache/node/bin:$(PATH)

.PHONY: run test setup setup-test native wasm lint clean

run: setup
	@exec node app/cli.js serve $(ARGS)

test: setup-test
	@exec node test/run.js $(ARGS)

setup:
	@./setup.sh run

setup-test:
	@./setup.sh test

# The addon. For another machine: make native CC=arm-linux-gnueabihf-gcc ARCH=arm
native:
	@$(MAKE) --no-print-directory -C app/engine/native
	@$(MAKE) --no-print-directory -C ksm/native

# The WebAssembly kernel, committed built; only needed after a change of app/game/kernel.c.
wasm:
	@$(MAKE) --no-print-directory -C app/game

lint: setup-test
	npx eslint .
	npx prettier --check .
	npx tsc

clean:
	rm -rf build test/output
