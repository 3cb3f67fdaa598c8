//! Tests of the facts of components.

use crate::Language::{Astro, Svelte, Vue};
use crate::outline::{check, check_flow};

#[test]
fn the_scripts_of_a_component_keep_their_lines() {
    check(
        Vue,
        r#"<template>
  <UserCard :user="user" @click="go(user)" />
</template>

<script setup lang="ts">
import UserCard from './UserCard.vue';
interface Props { name: string }
function go(user: Props) {}
</script>
"#,
        r#"
        interface Props :7 `interface Props`
        property Props.name pub :7 `name: string`
        function go :8 `function go(user: Props)`
        function default pub exported :1 `component`
        import ./UserCard.vue default=UserCard
        export default default is default
        "#,
    );
}

#[test]
fn the_markup_of_vue_calls_components_and_functions() {
    check_flow(
        Vue,
        r#"<script setup>
import UserCard from './UserCard.vue';
const load = () => 1;
</script>
<template>
  <user-card v-for="one in load()" :class="{ 'a b': load }" @click="load(); one = 1">{{ load(one) }}</user-card>
  <div v-if="broken(">it's {{ fine }}</div>
  <style>.a { color: red }</style>
</template>
"#,
        r#"
        load: return 1
        default: #0 <^UserCard()
        default: #1 $load()
        default: #2 $load()
        default: ~one = 1
        default: #3 $load(~one)
        "#,
    );
}

#[test]
fn the_markup_of_svelte_calls_components_and_functions() {
    check_flow(
        Svelte,
        r#"<script lang="ts">
  import Card from './Card.svelte';
  import { tooltip, fade } from './actions';
  export let items: string[];
  const pick = (one: string) => one;
</script>
{#each items as item, i (item)}
  <Card title="a {pick(item)} b" on:click={() => pick(item)} use:tooltip={item} {...items} />
{:else}
  <p>{#if pick('x')}don't{/if}</p>
{/each}
"#,
        r#"
        param pick#0 one: string
        pick: return %one
        default: #0 <^Card()
        default: #1 $pick(~item)
        default.<arrow1>: #2 $pick(~item)
        default.<arrow1>: return #2
        default: #3 $pick("x")
        "#,
    );
}

#[test]
fn the_markup_of_astro_is_jsx() {
    check_flow(
        Astro,
        r#"---
import Layout from '../Layout.astro';
const pages = await load();
function load() { return []; }
---
<Layout title={load()}>
  {pages.map((page) => <Layout title={page} />)}
</Layout>
<script>import './client';</script>
"#,
        r#"
        param default.<arrow1>#0 page
        module: #0 $load()
        module: pages = #0
        load: return {}
        default: #1 <^Layout()
        default: #2 $load()
        default.<arrow1>: #3 <^Layout({"title": %page})
        default.<arrow1>: return #3
        default: #4 pages.map(&default.<arrow1>)
        "#,
    );
}
