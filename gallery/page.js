// SPDX-License-Identifier: BSD-2-Clause
// A slider moves the cut between its two images; a range input brings touch, mouse and keys.
for (const input of document.querySelectorAll(".slider input")) {
  const move = () => {
    input.previousElementSibling.style.setProperty("--cut", input.value + "%");
    input.setAttribute("aria-valuetext", input.value + " % " + input.dataset.before);
  };
  input.addEventListener("input", move);
  move();
}
