import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/forced.css';
import { mount } from 'svelte';
import Embed from './Embed.svelte';
import { preferences } from './state/preferences.svelte';

preferences.start();
const target = document.getElementById('app');
if (target) mount(Embed, { target });
