# SPDX-License-Identifier: BSD-2-Clause
"""A Jupyter notebook with its stored results as HTML."""
import text


def output(made):
    if made["output_type"] == "stream":
        return f'<pre class="output"><code>{text.escape("".join(made["text"]))}</code></pre>'
    data = made.get("data", {})
    for kind in ("image/png", "image/jpeg"):
        if kind in data:
            source = "".join(data[kind]).replace("\n", "")
            return f'<p><img src="data:{kind};base64,{source}" alt="result of the code above"></p>'
    plain = "".join(data.get("text/plain", ""))
    return f'<pre class="output"><code>{text.escape(plain)}</code></pre>' if plain else ""


def html(cells, markdown, links):
    """The body of the page, and its title."""
    words = "\n\n".join("".join(cell["source"]) if cell["cell_type"] == "markdown"
                        else f"CODE-CELL-{number}" for number, cell in enumerate(cells))
    body, title = markdown.html(words)
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            made = "\n".join(map(output, cell["outputs"]))
            code = text.code_block("".join(cell["source"]), "python", links)
            body = body.replace(f"<p>CODE-CELL-{number}</p>", f"{code}\n{made}")
    return body, title
