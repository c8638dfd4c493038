/** Makes a picture smaller by a palette. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Lines of a palette's indices pack best as they are, and by the slowest search. */
const SMALLEST = ['level=9', 'filter=0', 'strategy=0'].flatMap((one) => ['-define', `png:compression-${one}`]);

/** Few colours are enough for a page of text, and dots in between make a file larger. Where ImageMagick is missing the picture stays as it is. */
export function toPalette(file: string): void {
  try {
    const palette = ['-strip', '+dither', '-colors', '128', ...SMALLEST];
    execFileSync('convert', [file, ...palette, `PNG8:${file}.small`], { stdio: 'ignore' });
    execFileSync('mv', [`${file}.small`, file]);
  } catch {
    rmSync(`${file}.small`, { force: true });
  }
}
