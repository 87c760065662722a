// SPDX-License-Identifier: BSD-2-Clause
// The bar of each page: theme, menu and search; and copy buttons on code.
{
  const page = document.documentElement;
  const root = page.dataset.root;

  document.querySelector("button.theme").addEventListener("click", () => {
    const dark = page.dataset.theme
      ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    page.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("theme", page.dataset.theme);
    } catch {
      // The choice holds for this page then.
    }
  });

  const menu = document.querySelector("button.menu");
  const showMenu = (open) => {
    document.body.classList.toggle("menu-open", open);
    menu.setAttribute("aria-expanded", String(open));
  };
  menu.addEventListener("click", () => showMenu(!document.body.classList.contains("menu-open")));

  // Served by a host, the studio is an application that works offline; from disk it is one file.
  if (location.protocol.startsWith("http")) {
    for (const link of document.querySelectorAll("a.studio")) link.href = root + "studio/index.html";
  }

  for (const block of document.querySelectorAll("pre[data-language]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent.trimEnd());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const box = document.createElement("div");
    box.className = "block";
    block.replaceWith(box);
    box.append(block, button);
  }

  // Marks the section that is read in the list of contents.
  const entries = new Map([...document.querySelectorAll(".contents a")].map(
    (link) => [decodeURIComponent(link.hash.slice(1)), link]));
  if (entries.size > 0) {
    const headings = [...entries.keys()].map((name) => document.getElementById(name)).filter(Boolean);
    let marked = null;
    const mark = () => {
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
      const link = entries.get((passed.at(-1) ?? headings[0]).id);
      if (link === marked) return;
      marked?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
      const list = link.closest("aside");
      const top = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
      if (top < 0 || top > list.clientHeight - 40) list.scrollTop += top - list.clientHeight / 2;
      marked = link;
    };
    addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
    mark();
  }

  // Search. The index is a script, because pages from disk cannot fetch files.
  const form = document.querySelector("form.search");
  const input = form.elements.q;
  const list = form.querySelector(".results");
  let loading = null;
  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = () => done(globalThis.searchIndex.map(([path, title, heading, words]) => ({
      path, title, heading, words,
      low: { title: title.toLowerCase(), heading: heading.toLowerCase(),
             words: words.toLowerCase() } })));
    script.onerror = failed;
    document.head.append(script);
  });

  const startsWord = (text, word) => {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (at === 0 || !/[\p{L}\p{N}_]/u.test(text[at - 1])) return true;
    }
    return false;
  };

  const scoreOfWord = ({ heading, title, words }, word) => {
    const names = heading.split(/[\s,]+/).map((name) => name.replace(/^--|\(\)$/g, ""));
    if (names.includes(word) || names.some((name) => name.endsWith("." + word))) return 100;
    if (startsWord(heading, word)) return 40;
    if (heading.includes(word)) return 20;
    if (startsWord(title, word)) return 12;
    if (startsWord(words, word)) return 4 + Math.min(6, words.split(word).length - 1);
    return words.includes(word) ? 1 : 0;
  };

  const find = (index, text) => {
    const wanted = text.toLowerCase().replace(/\(\)|(?<!\S)--/g, "").split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return [];
    const scored = [];
    for (const section of index) {
      const scores = wanted.map((word) => scoreOfWord(section.low, word));
      if (scores.every((score) => score > 0)) {
        scored.push([scores.reduce((sum, score) => sum + score, 0), section]);
      }
    }
    return scored.sort((a, b) => b[0] - a[0]).slice(0, 20).map(([, section]) => section);
  };

  const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

  const excerpt = ({ words, low }, text) => {
    const word = text.toLowerCase().split(/\s+/).find((one) => one && low.words.includes(one));
    const at = word ? low.words.indexOf(word) : 0;
    const from = Math.max(0, at - 50);
    const part = words.slice(from, from + 150);
    const shown = escaped(part);
    const marked = word ? shown.replace(
      new RegExp(escaped(word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi"),
      (found) => `<mark>${found}</mark>`) : shown;
    return (from > 0 ? "… " : "") + marked + (from + 150 < words.length ? " …" : "");
  };

  const show = async () => {
    const text = input.value.trim();
    if (text === "") {
      list.hidden = true;
      return;
    }
    const index = await load();
    if (text !== input.value.trim()) return;
    const found = find(index, text);
    list.innerHTML = found.map((section, number) =>
      `<a role="option" href="${root}${section.path}"${number === 0 ? ' class="here"' : ""}>` +
      `<b>${escaped(section.heading)}</b> <small>${escaped(section.title)}</small>` +
      `<span>${excerpt(section, text)}</span></a>`).join("") ||
      `<p>Nothing has “${escaped(text)}” in it.</p>`;
    list.hidden = false;
    list.scrollTop = 0;
  };

  const step = (by) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link.classList.contains("here"));
    const next = links[(at + by + links.length) % links.length];
    links[at]?.classList.remove("here");
    next?.classList.add("here");
    next?.scrollIntoView({ block: "nearest" });
  };

  const close = () => { list.hidden = true; };
  input.addEventListener("focus", load, { once: true });
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a.here")?.click();
  });
  list.addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      close();
      showMenu(false);
    } else if (document.activeElement === input && event.key === "ArrowDown") {
      event.preventDefault();
      step(1);
    } else if (document.activeElement === input && event.key === "ArrowUp") {
      event.preventDefault();
      step(-1);
    }
  });
  document.addEventListener("pointerdown", (event) => {
    if (!form.contains(event.target)) close();
    if (!event.target.closest(".pages, button.menu")) showMenu(false);
  });
}
