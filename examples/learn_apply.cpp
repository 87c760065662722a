// SPDX-License-Identifier: BSD-2-Clause
// Learns a model from images, stores it, and filters other images with it. Usage:
//   learn_apply learn MODEL.cof IMAGE.ppm...
//   learn_apply apply MODEL.cof IN.ppm OUT.ppm
#include <cof/cof.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ppm.h"

namespace {

// An image that frees its pixels.
class Image {
public:
    explicit Image(const std::string &name) { check(ppm_read(&ppm_, name.c_str()), name); }
    ~Image() { ppm_free(&ppm_); }
    Image(Image &&other) noexcept : ppm_(other.ppm_) { other.ppm_.pixels = nullptr; }
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;

    void write(const std::string &name) const { check(ppm_write(&ppm_, name.c_str()), name); }

    CofImage view() const
    {
        CofImage view{}; // all zero: 8-bit samples, packed rows, no mask
        view.data = ppm_.pixels;
        view.width = ppm_.width;
        view.height = ppm_.height;
        view.channels = 3;
        view.kind = COF_KIND_RGB;
        return view;
    }

private:
    static void check(const char *trouble, const std::string &name)
    {
        if (trouble)
            throw std::runtime_error(name + ": " + trouble);
    }

    Ppm ppm_{};
};

struct ModelDeleter {
    void operator()(CofModel *model) const { cof_model_free(&model); }
};
using Model = std::unique_ptr<CofModel, ModelDeleter>;

// Options that say why a call failed, which check() throws.
class Call {
public:
    Call()
    {
        cof_options_init(&options);
        options.problem = &problem;
    }

    void check(CofStatus status) const
    {
        if (status != COF_OK)
            throw std::runtime_error(problem.text ? problem.text : cof_status_string(status));
    }

    CofProblem problem{};
    CofOptions options;
};

void learn(const std::string &model_name, const std::vector<std::string> &names)
{
    std::vector<Image> images;
    std::vector<CofImage> views;
    for (const std::string &name : names) {
        images.emplace_back(name);
        views.push_back(images.back().view());
    }
    Call call;
    CofModel *learned = nullptr;
    call.check(cof_model_learn(&learned, views.data(), nullptr, static_cast<int>(views.size()),
                               &call.options));
    const Model model(learned);

    void *bytes = nullptr;
    std::size_t size = 0;
    call.check(cof_model_save(model.get(), &bytes, &size, &call.problem));
    const std::unique_ptr<void, void (*)(void *)> owner(bytes, cof_free);
    std::ofstream file(model_name, std::ios::binary);
    if (!file.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size)).flush())
        throw std::runtime_error(model_name + ": cannot be written");
}

void apply(const std::string &model_name, const std::string &in, const std::string &out)
{
    std::ifstream file(model_name, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
    Call call;
    CofModel *loaded = nullptr;
    call.check(cof_model_load(&loaded, bytes.data(), bytes.size(), &call.problem));
    const Model model(loaded);

    const Image image(in);
    const CofImage view = image.view();
    call.options.iterations = 2;
    call.check(cof_filter(model.get(), nullptr, &view, &view, &call.options)); // in place
    image.write(out);
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        if (words.size() >= 3 && words[0] == "learn")
            learn(words[1], std::vector<std::string>(words.begin() + 2, words.end()));
        else if (words.size() == 4 && words[0] == "apply")
            apply(words[1], words[2], words[3]);
        else
            throw std::runtime_error("usage: learn_apply learn MODEL.cof IMAGE.ppm... | "
                                     "apply MODEL.cof IN.ppm OUT.ppm");
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
