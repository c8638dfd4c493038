/** Opens the page in the person's own browser, where there is a screen; never in CI. */
import { spawn } from 'node:child_process';

export function canOpen(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (env['CI'] || env['SSH_CONNECTION'] || env['COUNTERSIGN_NO_BROWSER']) return false;
  return platform === 'darwin' || platform === 'win32' || !!(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** Opens a page in the browser; false if there is no browser to open it in. A failure of the browser is ignored. */
export function openPage(url: string): boolean {
  if (!canOpen(process.env, process.platform)) return false;
  const [command, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}
