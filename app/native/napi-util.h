/* Helpers for Node-API: arguments, errors, exports. */
#ifndef PITV_NAPI_UTIL_H
#define PITV_NAPI_UTIL_H

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

/* A function of the addon. A file's table of functions ends with an empty entry; addon.c lists the tables. */
typedef struct pitv_function {
  const char *name;
  napi_callback callback;
} pitv_function;

#define PITV_FUNCTIONS(file, ...) const pitv_function pitv_##file##_functions[] = {__VA_ARGS__, {NULL, NULL}}

/* Adds the functions of a table to the module; returns false when Node-API fails. */
bool pitv_export(napi_env env, napi_value exports, const pitv_function *functions);

/* Throws an Error with code PITV_NATIVE_FAILED, `errno` and `syscall`; returns NULL. */
napi_value pitv_throw_errno(napi_env env, const char *call, int error, const char *sentence);
/* Throws a TypeError with code PITV_NATIVE_ARGUMENT; returns NULL. */
napi_value pitv_throw_argument(napi_env env, const char *sentence);
/* Does the same; returns false. */
bool pitv_refuse(napi_env env, const char *sentence);
/* Throws an Error with the last message of Node-API, unless an exception is pending; returns NULL. */
napi_value pitv_throw_napi(napi_env env, const char *sentence);

/* Reads `count` arguments and ignores any others. Throws and returns false when there are fewer. */
bool pitv_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments);
/* Reads a whole number from 0 to `max`. Throws and returns false for any other value. */
bool pitv_number(napi_env env, napi_value value, const char *name, int64_t max, int64_t *result);
/* Reads the first argument, which is such a number. */
bool pitv_number_argument(napi_env env, napi_callback_info info, const char *name, int64_t max, int64_t *result);
/* Reads an array of at most `max` numbers of descriptors. Throws and returns false for any other value. */
bool pitv_descriptors(napi_env env, napi_value list, const char *name, uint32_t max, int *descriptors, size_t *count);
/* Returns the address of a word of an Int32Array. Throws and returns NULL for other values. */
void *pitv_word(napi_env env, napi_value words, napi_value index);

/* Calls a function from the event loop. What it throws is an uncaught exception. */
void pitv_call_back(napi_env env, napi_value receiver, napi_value function, size_t count, const napi_value *arguments);

/* These make values. They throw and return NULL when Node-API fails. */
napi_value pitv_make_number(napi_env env, double value);
napi_value pitv_make_boolean(napi_env env, bool value);
napi_value pitv_make_numbers(napi_env env, const int *values, size_t count);

typedef struct pitv_property {
  const char *name;
  napi_value value;
} pitv_property;

/* Makes an object of {name, value} pairs; NULL also when one of the values is NULL. */
#define PITV_OBJECT(env, ...) pitv_make_object(env, (const pitv_property[]){__VA_ARGS__, {NULL, NULL}})
napi_value pitv_make_object(napi_env env, const pitv_property *properties);

#endif
