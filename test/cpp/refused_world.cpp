/* SPDX-License-Identifier: MIT */
/* What must not compile of worlds, queries and commands: checks/refused.sh compiles this file once
 * for each case, and once as it is. */
#include <handle_map/handle_map.hpp>

#include <string>

struct position {
    float x, y;
};
struct velocity {
    float x, y;
};
struct health {
    int points = 100;
};
struct frozen {
};
struct guarded {
    using relocatable = guarded;
    ~guarded()
    {
    }
};
struct alignas(8192) page {
    char bytes[8192];
};

/* Without values: each in a function of its own, where gcc sees that none is read. */
hm::entity create(hm::world &world);
hm::entity create_later(hm::commands &commands);
hm::status create_many(hm::world &world);
hm::status take_away(hm::world &world, hm::entity stone);
hm::status take_away_from_all(hm::query<position> &query);

hm::entity create(hm::world &world)
{
    return world.create();
}
hm::entity create_later(hm::commands &commands)
{
    return commands.create();
}
hm::status create_many(hm::world &world)
{
    return world.create_n<>(3);
}
hm::status take_away(hm::world &world, hm::entity stone)
{
    return world.change(stone, hm::without<velocity>());
}
hm::status take_away_from_all(hm::query<position> &query)
{
    return query.change(hm::without<velocity>());
}

void run(hm::world &world, hm::commands &commands, hm::entity stone);

void run(hm::world &world, hm::commands &commands, hm::entity stone)
{
    hm::query<position, const velocity, frozen, hm::optional<health>> movers(world);
    movers.each([](position &p, const velocity &v, health *) { p.x += v.x; });
    world.create(position{}, velocity{});
    world.add<frozen>(stone);
    commands.add<frozen>(stone);

#ifdef values_that_make_no_component // a value cannot be made by T(args...)
    world.emplace<position>(stone, "left");
#endif
#ifdef each_writes_what_is_const // each calls f(values...) or f(entity, values...), where a value
                                 // is
    movers.each([](position &p, velocity &v, health *) { p.x += v.x; });
#endif
#ifdef each_of_another_type // each calls f(values...) or f(entity, values...), where a value is
    movers.each([](position &p, const position &v, health *) { p.x += v.x; });
#endif
#ifdef each_with_too_few_values // each calls f(values...) or f(entity, values...), where a value is
    movers.each([](position &p) { p.x = 0; });
#endif
#ifdef each_with_a_tag // each calls f(values...) or f(entity, values...), where a value is
    movers.each([](position &, const velocity &, frozen, health *) {});
#endif
#ifdef each_with_a_reference_to_what_is_optional // each calls f(values...) or f(entity, values...)
    movers.each([](position &, const velocity &, health &) {});
#endif
#ifdef each_of_a_world // each calls f(values...) or f(entity, values...), where a value is
    world.each<const position>([](position &p) { p.x = 0; });
#endif
#ifdef a_range_of_a_temporary_query // this query ends before the loop over it begins: keep it in a
    for (auto [which] : hm::query<>(world).each())
        world.destroy(which);
#endif
#ifdef a_range_of_a_world // a world has no range of its own: keep a query in a variable
    for (auto [which, p] : world.each<position>())
        p.x = 0;
#endif
#ifdef a_binding_for_a_tag // row_where_tags_have_no_value
    for (auto [which, p, v, still, h] : movers.each())
        p.x += v.x;
#endif
#ifdef destroy_if_of_another_type // destroy_if calls f as each does
    movers.destroy_if([](velocity &) { return true; });
#endif
#ifdef a_query_with_a_type_twice // a component is given twice in a query
    hm::query<position, const position> twice(world);
#endif
#ifdef a_filter_that_is_none // the filters of a query are hm::without<...>() and hm::any_of<...>()
    hm::query<position> filtered(world, frozen());
#endif
#ifdef an_optional_tag // an optional tag changes nothing: ask the world by has<T>
    hm::query<position, hm::optional<frozen>> tagged(world);
#endif
#ifdef a_column_that_a_query_lacks // the query has no such type
    hm::query<position> one(world);
    one.each_view([](decltype(one)::view view, position *) { view.touch<velocity>(); });
#endif
#ifdef create_with_a_type_twice // a component is given twice
    world.create(position{}, velocity{}, position{});
#endif
#ifdef commands_create_with_a_type_twice // a component is given twice
    commands.create(position{}, position{});
#endif
#ifdef change_that_adds_and_removes // a component is given twice
    world.change(stone, hm::without<position>(), position{});
#endif
#ifdef a_type_that_is_not_relocatable // is kept in an hm::pool, and the component has its handle
    world.add(stone, std::string("wolf"));
#endif
#ifdef an_empty_type_with_a_destructor // an empty type is a tag, which has no value that a
                                       // destructor
    world.add(stone, guarded());
#endif
#ifdef a_component_with_a_large_alignment // items are aligned to at most 4096 bytes
    (void)world.component<page>();
#endif
#ifdef a_reference_as_a_component // a component's type is not const and no reference
    (void)world.component<position &>();
#endif
#ifdef a_tag_that_is_emplaced // a tag has no value: use add<T>(entity)
    world.emplace<frozen>(stone);
#endif
#ifdef a_change_of_many_to_another_default // the values are zero, but the default of this type
    movers.change<health>();
#endif
}
