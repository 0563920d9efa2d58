/* SPDX-License-Identifier: MIT */
/* owned: a container of C that ends with the object that has it. */
#ifndef BENCHMARKS_OWNED_H
#define BENCHMARKS_OWNED_H

template <class Container, void (*Fini)(Container *)> struct owned : Container {
    owned() : Container()
    {
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned()
    {
        Fini(this);
    }
};

#endif
