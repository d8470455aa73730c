import { flushSync, mount } from 'svelte';
import App from './App.svelte';
import { preferences } from './state/preferences.svelte';

preferences.start();
const target = document.getElementById('app');
if (target) mount(App, { target });
// The page draws itself before the browser paints again: nobody sees it change.
flushSync();
document.getElementById('prerendered')?.remove();
