/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table and the options of the session, for JavaScript. */
#ifndef COF_WEB_OPTIONS_H
#define COF_WEB_OPTIONS_H

#include "web_session.h"

/* The row of the table with this index, from 0 to web_option_count() - 1. */
int web_option_count(void) WEB_EXPORT(option_count);
const char *web_option_name(int index) WEB_EXPORT(option_name);
const char *web_option_label(int index) WEB_EXPORT(option_label);
const char *web_option_help(int index) WEB_EXPORT(option_help);
const char *web_option_automatic(int index) WEB_EXPORT(option_automatic);
const char *web_option_choice(int index, int choice) WEB_EXPORT(option_choice);
int web_option_type(int index) WEB_EXPORT(option_type);
int web_option_group(int index) WEB_EXPORT(option_group);
unsigned web_option_flags(int index) WEB_EXPORT(option_flags);
double web_option_minimum(int index) WEB_EXPORT(option_minimum);
double web_option_maximum(int index) WEB_EXPORT(option_maximum);
double web_option_default(int index) WEB_EXPORT(option_default);

/* The options of the session. A value is a text, such as "21". */
void web_options_init(void) WEB_EXPORT(options_init);
CofStatus web_options_preset(int preset, int width, int height) WEB_EXPORT(options_preset);
CofStatus web_options_set(const char *name, const char *value) WEB_EXPORT(options_set);
CofStatus web_options_check(void) WEB_EXPORT(options_check);
double web_options_get(int index) WEB_EXPORT(options_get);
uint64_t web_options_get_seed(int index) WEB_EXPORT(options_get_seed);

/* Where they are: the bytes can be copied to another instance of the same module. */
CofOptions *web_options_data(void) WEB_EXPORT(options_data);
size_t web_options_size(void) WEB_EXPORT(options_size);

#endif
