/** Makes a picture smaller by a palette. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Few colours are enough for a page of text, and dots in between make a file larger. Where ImageMagick is missing the picture stays as it is. */
export function toPalette(file: string): void {
  try {
    execFileSync('convert', [file, '-strip', '+dither', '-colors', '128', `PNG8:${file}.small`], { stdio: 'ignore' });
    execFileSync('mv', [`${file}.small`, file]);
  } catch {
    rmSync(`${file}.small`, { force: true });
  }
}
