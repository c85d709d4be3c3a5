/* Helpers for Node-API: arguments, errors, exports. */
#ifndef PITV_NAPI_UTIL_H
#define PITV_NAPI_UTIL_H

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Throws an Error with code PITV_NATIVE_FAILED, the errno and the failed call's name; returns NULL. */
napi_value pitv_throw_errno(napi_env env, const char *call, int error, const char *sentence);
/* Throws a TypeError with code PITV_NATIVE_ARGUMENT; returns NULL. */
napi_value pitv_throw_argument(napi_env env, const char *sentence);
/* Throws what Node-API last complained about; returns NULL. */
napi_value pitv_throw_napi(napi_env env, const char *sentence);

/* Reads up to `count` arguments; false when there are fewer (and an exception is pending). */
bool pitv_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments);
/* A whole number from 0 to `most`; false and an exception when it is something else. */
bool pitv_number(napi_env env, napi_value value, const char *name, int64_t most, int64_t *result);
/* Adds a function to the module. */
bool pitv_export(napi_env env, napi_value exports, const char *name, napi_callback function);

#endif
