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

// A choice shows its result on the other side of the cut.
for (const choice of document.querySelectorAll(".choices input")) {
  choice.addEventListener("change", () => {
    for (const image of document.querySelectorAll("[data-choice]")) {
      image.classList.toggle("other", image.dataset.choice !== choice.value);
      if (image.dataset.choice === choice.value) {
        image.parentElement.querySelector(".tag.right").textContent = choice.value;
      }
    }
    document.querySelector(".chosen").textContent = choice.value;
  });
}
