/* Helpers for Node-API: arguments, errors, exports. */
#include "napi-util.h"

#include <stdio.h>
#include <string.h>

static napi_value make_error(napi_env env, const char *code, const char *sentence) {
  napi_value js_code, message, error;
  if (napi_create_string_utf8(env, code, NAPI_AUTO_LENGTH, &js_code) != napi_ok ||
      napi_create_string_utf8(env, sentence, NAPI_AUTO_LENGTH, &message) != napi_ok ||
      napi_create_error(env, js_code, message, &error) != napi_ok)
    return NULL;
  return error;
}

napi_value pitv_throw_errno(napi_env env, const char *call, int error, const char *sentence) {
  char message[512];
  snprintf(message, sizeof message, "%s: %s: %s (errno %d).", sentence, call, strerror(error), error);
  napi_value thrown = make_error(env, "PITV_NATIVE_FAILED", message);
  napi_value js_errno, js_call;
  if (thrown == NULL) return NULL;
  if (napi_create_int32(env, error, &js_errno) == napi_ok)
    napi_set_named_property(env, thrown, "errno", js_errno);
  if (napi_create_string_utf8(env, call, NAPI_AUTO_LENGTH, &js_call) == napi_ok)
    napi_set_named_property(env, thrown, "syscall", js_call);
  napi_throw(env, thrown);
  return NULL;
}

napi_value pitv_throw_argument(napi_env env, const char *sentence) {
  napi_throw_type_error(env, "PITV_NATIVE_ARGUMENT", sentence);
  return NULL;
}

bool pitv_refuse(napi_env env, const char *sentence) {
  pitv_throw_argument(env, sentence);
  return false;
}

napi_value pitv_throw_napi(napi_env env, const char *sentence) {
  const napi_extended_error_info *last = NULL;
  bool pending = false;
  char message[512];
  napi_get_last_error_info(env, &last);
  snprintf(message, sizeof message, "%s: %s.", sentence,
           last && last->error_message ? last->error_message : "Node-API refused");
  if (napi_is_exception_pending(env, &pending) == napi_ok && pending) return NULL;
  napi_throw_error(env, "PITV_NATIVE_FAILED", message);
  return NULL;
}

bool pitv_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments) {
  size_t given = count;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok) {
    pitv_throw_napi(env, "Could not read the arguments");
    return false;
  }
  return given >= count || pitv_refuse(env, "An argument is missing.");
}

bool pitv_number(napi_env env, napi_value value, const char *name, int64_t max, int64_t *result) {
  double number;
  if (napi_get_value_double(env, value, &number) == napi_ok && number >= 0 &&
      number <= (double)max && (double)(int64_t)number == number) {
    *result = (int64_t)number;
    return true;
  }
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%s must be a whole number from 0 to %lld.", name, (long long)max);
  return pitv_refuse(env, sentence);
}

bool pitv_number_argument(napi_env env, napi_callback_info info, const char *name, int64_t max, int64_t *result) {
  napi_value argument;
  return pitv_arguments(env, info, 1, &argument) && pitv_number(env, argument, name, max, result);
}

bool pitv_descriptors(napi_env env, napi_value list, const char *name, uint32_t max, int *descriptors, size_t *count) {
  uint32_t length = 0;
  char sentence[128];
  bool read = napi_get_array_length(env, list, &length) == napi_ok && length <= max;
  for (uint32_t i = 0; read && i < length; i++) {
    napi_value value;
    read = napi_get_element(env, list, i, &value) == napi_ok &&
           napi_get_value_int32(env, value, &descriptors[i]) == napi_ok && descriptors[i] >= 0;
  }
  *count = read ? length : 0;
  snprintf(sentence, sizeof sentence, "%s must be an array of at most %u descriptors.", name, (unsigned)max);
  return read || pitv_refuse(env, sentence);
}

void *pitv_word(napi_env env, napi_value words, napi_value index) {
  napi_typedarray_type type;
  size_t length;
  void *data;
  int64_t at;
  if (napi_get_typedarray_info(env, words, &type, &length, &data, NULL, NULL) != napi_ok ||
      type != napi_int32_array || length == 0)
    pitv_throw_argument(env, "words must be an Int32Array.");
  else if (pitv_number(env, index, "index", (int64_t)length - 1, &at))
    return (int32_t *)data + at;
  return NULL;
}

void pitv_call_back(napi_env env, napi_value receiver, napi_value function, size_t count, const napi_value *arguments) {
  napi_value error;
  bool pending = false;
  napi_make_callback(env, NULL, receiver, function, count, arguments, NULL);
  if (napi_is_exception_pending(env, &pending) == napi_ok && pending &&
      napi_get_and_clear_last_exception(env, &error) == napi_ok)
    napi_fatal_exception(env, error);
}

static napi_value made(napi_env env, napi_status status, const napi_value *value) {
  return status == napi_ok ? *value : pitv_throw_napi(env, "Could not make a result");
}

napi_value pitv_make_number(napi_env env, double value) {
  napi_value result;
  return made(env, napi_create_double(env, value, &result), &result);
}

napi_value pitv_make_boolean(napi_env env, bool value) {
  napi_value result;
  return made(env, napi_get_boolean(env, value, &result), &result);
}

napi_value pitv_make_numbers(napi_env env, const int *values, size_t count) {
  napi_value list, value;
  napi_status status = napi_create_array_with_length(env, count, &list);
  for (uint32_t i = 0; status == napi_ok && i < count; i++) {
    status = napi_create_int32(env, values[i], &value);
    if (status == napi_ok) status = napi_set_element(env, list, i, value);
  }
  return made(env, status, &list);
}

napi_value pitv_make_object(napi_env env, const pitv_property *properties) {
  napi_value object;
  napi_status status = napi_create_object(env, &object);
  for (; status == napi_ok && properties->name != NULL; properties++)
    status = properties->value == NULL
                 ? napi_pending_exception
                 : napi_set_named_property(env, object, properties->name, properties->value);
  return made(env, status, &object);
}

bool pitv_export(napi_env env, napi_value exports, const pitv_function *functions) {
  for (; functions->name != NULL; functions++) {
    napi_value value;
    if (napi_create_function(env, functions->name, NAPI_AUTO_LENGTH, functions->callback, NULL, &value) != napi_ok ||
        napi_set_named_property(env, exports, functions->name, value) != napi_ok)
      return false;
  }
  return true;
}
