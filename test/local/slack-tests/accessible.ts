/** Reads a page as people do who cannot see it well: names of controls, headings, landmarks, contrast. */
import type { Page } from 'playwright-core';

const NAMED = 'button|link|textbox|combobox|listbox|checkbox|radio|menu|menuitem|option|img|dialog|alertdialog|heading';
const HIDDEN_IMAGES = 'img:not([alt]), svg:not([aria-hidden]):not([role]), [role="img"]:not([aria-label])';

/** Controls, images, dialogs and headings without an accessible name, as lines of the browser's own tree. */
export async function nameless(page: Page): Promise<string[]> {
  const tree = await page.locator('html').ariaSnapshot();
  const lines = tree.split('\n').filter((line) => new RegExp(`^\\s*- (${NAMED})( \\[[^\\]]*\\])*:?$`).test(line));
  const images = await page.locator(HIDDEN_IMAGES).count();
  return [...lines, ...(images ? [`${images} images without a text`] : [])];
}

/** The levels of the headings, in their order. */
export const headingLevels = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
    .filter((node) => node.checkVisibility() && !node.closest('dialog'))
    .map((node) => Number(node.tagName.slice(1)))`);

/** Texts that stand out too little from what is behind them: WCAG 2.2 asks for 4.5 to 1, and for 3 to 1 where they are large. */
export const faintTexts = (page: Page): Promise<string[]> => page.evaluate(FAINT);

const FAINT = `(() => {
  const parts = (color) => {
    const numbers = color.match(/[\\d.]+/g).map(Number);
    return numbers.length < 4 ? [...numbers, 1] : numbers;
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const behind = (node) => {
    if (node === null) return parts(getComputedStyle(document.body).backgroundColor);
    const own = parts(getComputedStyle(node).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(node.parentElement));
  };
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const faint = new Set();
  for (const node of document.querySelectorAll('body *')) {
    const text = [...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join('');
    if (!text || node.disabled || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(node);
    const back = behind(node);
    const [one, other] = [light(over(parts(style.color), back)), light(back)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) faint.add(node.tagName + '.' + node.className + ' "' + text.slice(0, 30) + '": ' + ratio.toFixed(2));
  }
  return [...faint];
})()`;
