// SPDX-License-Identifier: BSD-2-Clause
// Before anything is drawn: the theme that the reader chose last time.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Some browsers refuse to store anything for pages from disk.
}
