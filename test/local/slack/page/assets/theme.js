/** Chooses light, dark, or the system's theme, once for every window of this browser. */

const root = document.documentElement;
const chosen = () => localStorage.getItem('theme') ?? 'auto';

function apply() {
  root.dataset.theme = chosen();
}

export function offerThemes(select) {
  select.value = chosen();
  select.addEventListener('change', () => {
    localStorage.setItem('theme', select.value);
    apply();
  });
}

window.addEventListener('storage', apply);
apply();
