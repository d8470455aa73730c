import { beforeEach, describe, expect, it } from 'vitest';
import { commandOf } from './keys';

function press(selector: string, init: KeyboardEventInit) {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
  document.querySelector(selector)!.dispatchEvent(event);
  return commandOf(event);
}

describe('keys', () => {
  beforeEach(() => {
    document.body.innerHTML =
      '<main><button>b</button><input><div contenteditable="true"></div><div role="menu"><i></i></div></main>';
  });

  it.each([
    [' ', 'toggle'],
    ['ArrowLeft', 'back'],
    ['ArrowRight', 'forward'],
    ['Home', 'first'],
    ['End', 'last'],
    ['PageUp', 'previousTurn'],
    ['PageDown', 'nextTurn'],
    ['[', 'previousAct'],
    [']', 'nextAct'],
    ['?', 'help'],
    ['Escape', 'release'],
    ['x', null],
  ])('%j is %s', (key, command) => expect(press('main', { key })).toBe(command));

  it('go from turn to turn on the slider, where all others are its own', () => {
    document.body.innerHTML = '<input type="range">';
    expect(press('input', { key: 'PageDown' })).toBe('nextTurn');
    expect(press('input', { key: ']' })).toBe('nextAct');
    expect(press('input', { key: 'ArrowLeft' })).toBeNull();
  });

  it('scroll what has the focus and scrolls', () => {
    document.body.innerHTML = '<div tabindex="0"><i></i></div><section tabindex="0"></section>';
    expect(press('div', { key: 'PageDown' })).toBeNull();
    expect(press('div', { key: ']' })).toBe('nextAct');
    expect(press('i', { key: 'PageDown' })).toBe('nextTurn');
  });

  it.each(['input', '[contenteditable]', '[role=menu] i'])('belong to %s', (selector) => {
    expect(press(selector, { key: 'ArrowLeft' })).toBeNull();
    expect(press(selector, { key: ' ' })).toBeNull();
  });

  it('press a button with the space bar, but step past it', () => {
    expect(press('button', { key: ' ' })).toBeNull();
    expect(press('button', { key: 'ArrowRight' })).toBe('forward');
  });

  it('apply a fix from anywhere, once', () => {
    expect(press('input', { key: 'Enter', altKey: true })).toBe('fix');
    document.body.addEventListener('keydown', (event) => event.preventDefault(), { once: true });
    expect(press('input', { key: 'Enter', altKey: true })).toBeNull();
  });

  it('open the palette from a text too, but not from a dialog', () => {
    expect(press('input', { key: 'k', ctrlKey: true })).toBe('palette');
    expect(press('main', { key: 'K', metaKey: true })).toBe('palette');
    document.body.innerHTML = '<dialog open><input></dialog>';
    expect(press('input', { key: 'k', ctrlKey: true })).toBeNull();
  });

  it('are the page’s again as soon as a dialog has closed, though its text keeps the focus until the next frame', () => {
    document.body.innerHTML = '<dialog open><input></dialog>';
    expect(press('input', { key: '?' })).toBeNull();
    document.querySelector('dialog')!.open = false;
    expect(press('input', { key: '?' })).toBe('help');
    expect(press('input', { key: 'k', ctrlKey: true })).toBe('palette');
  });

  it('leave the browser its shortcuts', () => {
    expect(press('main', { key: 'ArrowLeft', altKey: true })).toBeNull();
    expect(press('main', { key: 'Home', ctrlKey: true })).toBeNull();
  });
});
