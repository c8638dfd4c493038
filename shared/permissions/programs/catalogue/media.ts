/** Records programs that convert documents, pictures, sounds and archives. */
import type { Field } from '../../shell/syntax/fields.ts';
import { optionFile } from '../record/option-files.ts';
import type { ReadOption } from '../record/options.ts';
import { everyOperand, HERE, intoHere, lastOperand, outputBehind, secondOperand, written } from '../record/outputs.ts';
import { NAMED, net, netOptions, type ProgramRecord, program, programs, set } from '../record/record.ts';

/** `msl:x` runs a script, `label:@x` reads a file, `https://x` fetches, and `|x` is a command. */
const imageProblem = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.includes(':') || text.startsWith('@') || text.startsWith('|'))
    ? 'a format that may run or read more'
    : undefined;

/** The words of ffmpeg that stand alone; any other option takes the next word. */
const FFMPEG_FLAGS =
  '-y -n -an -vn -sn -dn -hide_banner -nostdin -nostats -stats -shortest -re -copyts -start_at_zero -accurate_seek -noautorotate -ignore_unknown -xerror -bitexact -benchmark';

/** `7z l` lists; extraction writes below the folder in which it runs. */
function sevenZipWrites(operands: readonly Field[]): readonly Field[] {
  const [command, archive] = operands;
  if (command === undefined || ['l', 't', 'i', 'b', 'h'].includes(command.text)) return [];
  return ['a', 'u', 'd', 'rn'].includes(command.text) && archive !== undefined ? written([archive]) : HERE;
}

/** `pdftk a.pdf cat output b.pdf`. */
function pdftkWrites(operands: readonly Field[]): readonly Field[] {
  const at = operands.findIndex(({ text }) => text === 'output');
  return at < 0 ? HERE : written(operands.slice(at + 1, at + 2));
}

/** Behind `-i` stands an input. Of the words behind an option that is not known here only the last can be an output. */
function ffmpegWrites(operands: readonly Field[], options: readonly ReadOption[]): readonly Field[] {
  return written(options.some(({ name }) => name === '-version' || name === '-formats') ? [] : operands);
}

const words = (flags: string, values: string): string =>
  [...set(flags), ...[...set(values)].map((name) => `${name}:1`)].join(' ');

/** `gunzip x.gz` writes `x`. */
const unpacked = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => {
    const dot = word.lastIndexOf('.');
    return word.startsWith('-') || dot <= 0 ? [] : [word.slice(0, dot)];
  });

const PACKS = {
  options: netOptions('-o --output --output-dir-flat --files --files0 --filelist -S --suffix --trace'),
  implied: unpacked,
} as const;

export const MEDIA: readonly ProgramRecord[] = [
  ...programs(
    'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd compress uncompress pigz unpigz lzma unlzma lzop lzip pbzip2 brotli',
    PACKS,
  ),
  // The second file is written.
  ...programs('lz4 unlz4', { ...PACKS, writes: (operands) => outputBehind(operands) }),
  program('pandoc', {
    ...net(
      '--filter -F --lua-filter -L -d --defaults --extract-media --pdf-engine --pdf-engine-opt --template --data-dir -H -B -A --include-in-header --include-before-body --include-after-body --syntax-definition --reference-doc --metadata-file --bibliography --csl --log --css -c --print-default-data-file --sandbox=false --resource-path --abbreviations --epub-embed-font --epub-cover-image',
      {
        flags: 'sNip',
        values: 'frtwVM',
        long: '--standalone --toc --number-sections',
        longValues: '--from --to --wrap --columns',
        value: (_, value) => (value.text.endsWith('.lua') ? 'a reader or writer of its own' : undefined),
      },
    ),
    commandOptions: set('--filter -F --pdf-engine'),
  }),
  ...programs('ffmpeg avconv', {
    ...net(
      '-filter_script -filter_complex_script -report -vstats -vstats_file -dump_attachment -passlogfile -sdp_file -progress',
      {
        words: words(
          `${FFMPEG_FLAGS} -version -formats`,
          '-i -f -c -codec -c:v -c:a -c:s -vcodec -acodec -vf -af -b:v -b:a -r -s -ss -to -t -map -preset -crf -q:v -q:a -pix_fmt -ar -ac -frames:v -vframes -loglevel -v -threads -metadata -movflags -aspect -g -filter:v -filter:a -filter_complex -tune -profile:v -level -maxrate -bufsize -itsoffset -loop -stream_loop -framerate -fs -vol -qscale:v -map_metadata -max_muxing_queue_size -strict',
        ),
        value: (name, value) =>
          /filter|^-[va]f$/.test(name) && /movie|file|script/.test(value.text)
            ? 'a filter that opens a file'
            : undefined,
      },
    ),
    writes: ffmpegWrites,
  }),
  ...programs('convert magick composite montage compare stream import', {
    ...net(
      '-write -script -process -exec -log -debug -list -clip-mask -mask -write-mask -read-mask -texture -remap -stegano',
      {
        operands: imageProblem,
      },
    ),
    writes: lastOperand,
  }),
  program(
    'identify',
    net('', {
      words: '-format:1 -ping -quiet -verbose',
      operands: imageProblem,
      value: (_, value) => (value.text.startsWith('@') ? 'a format in a file' : undefined),
    }),
  ),
  program('mogrify', { ...net('-path -write -script -process', { operands: imageProblem }), writes: everyOperand }),
  ...programs('conjure animate display', NAMED),
  ...programs('optipng pngquant jpegoptim advpng oxipng gifsicle', { ...net('-dir -d --dest'), writes: everyOperand }),
  ...programs('pdftotext pdftohtml pdftoppm pdftops ps2pdf pdf2ps pdfunite pdfseparate pdfcrop', {
    ...net(''),
    writes: (operands) => (operands.length > 2 ? lastOperand(operands, []) : secondOperand(operands, [])),
  }),
  program('qpdf', {
    ...net('--replace-input --split-pages --json-output', {
      long: '--check --show-npages --linearize',
      operands: optionFile,
    }),
    writes: lastOperand,
  }),
  program('pdftk', { writes: pdftkWrites }),
  ...programs('lame flac oggenc opusenc cwebp dwebp', { ...net(''), writes: lastOperand }),
  program('sox', { ...net('--plot --temp --effects-file'), writes: everyOperand }),
  ...programs('youtube-dl yt-dlp gallery-dl', {
    ...net('-P --paths -a --batch-file --cookies --netrc --update -U --cache-dir'),
    writes: intoHere,
  }),
  program('7z 7za 7zr p7zip', { ...net('-o -i -w -si -t'), writes: sevenZipWrites }),
  program('unrar rar', { ...net(''), writes: sevenZipWrites }),
  program('ar', { ...net('--plugin'), writes: secondOperand }),
  ...programs('strip ranlib', { ...net('-o'), writes: everyOperand }),
  program('objcopy', { ...net('--dump-section --add-section --update-section --plugin'), writes: lastOperand }),
  ...programs('cpio bsdcpio pax unar dar', { ...net('-s -O -o'), writes: intoHere }),
  program('genisoimage mkisofs xorriso', NAMED),
];
