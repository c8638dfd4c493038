/** Checks secrets that are long, have long names, or stand behind several shells or broken rows. */
import { describe, expect, test } from 'vitest';
import { BUILT_IN_FINDER } from '../../../../shared/domain/redaction/find.ts';
import { redact } from '../../../../shared/domain/redaction/redact.ts';

const SECRET = 'k7Hd93jsPQ0xzR';
const shown = (command: string) => JSON.stringify(redact({ command }, BUILT_IN_FINDER).value);
const LONG = 'Ab3x'.repeat(1_500);

describe('a secret is hidden within shells', () => {
  const escaped = (text: string) => `sh -c "${text.replace(/[\\"$`]/g, '\\$&')}"`;
  const closed = (text: string) => `bash -c '${text.replaceAll("'", `'"'"'`)}'`;
  const slashed = (text: string) => `su - a -c '${text.replaceAll("'", "'\\''")}'`;
  const COMMANDS = [
    `mysql -p${SECRET} db`,
    `docker login -u a -p ${SECRET} r.test`,
    `sshpass -p '${SECRET}' ssh h`,
    `curl -u bob:${SECRET} https://x.test`,
  ];
  test.each([
    ['escaped quotes', escaped],
    ['quotes that close', closed],
    ['quotes behind a backslash', slashed],
  ])('of one to five levels, with %s', (_, nest) => {
    for (const command of COMMANDS) {
      let text = command;
      for (let level = 1; level <= 5; level++) {
        text = nest(text);
        expect([level, shown(text)]).toEqual([level, expect.not.stringContaining(SECRET)]);
      }
    }
  });
});

test.each([
  `git clone https://bob:${LONG}@x.test/r`,
  `git clone https://${LONG}@x.test/r`,
  `password=${LONG}`,
  `password: "${LONG}"`,
  `export DB_PASSWORD='${LONG}'`,
  `mysql --password=${LONG} db`,
  `{"password":"${LONG}"}`,
  `psql -c "alter user a password '${LONG}'"`,
])('no part of a long secret is shown: %.40s', (text) => expect(shown(text)).not.toContain('Ab3xAb3x'));

test.each([
  `${'A_'.repeat(56)}PASSWORD=${SECRET}`,
  `export ${'A_'.repeat(120)}PASSWORD=${SECRET}`,
  `${'a_'.repeat(56)}password: ${SECRET}`,
  `spring.${'abc.'.repeat(30)}password=${SECRET}`,
  `set("${'a_'.repeat(56)}password", "${SECRET}")`,
  `<${'a_'.repeat(56)}password>${SECRET}</x>`,
  `<key>${'a_'.repeat(56)}password</key><string>${SECRET}</string>`,
])('a long name tells of a secret: %.40s', (text) => expect(shown(text)).not.toContain(SECRET));

describe('rows of a table', () => {
  const rows = (values: string) => `insert into users (name, password) values ${values}`;
  test.each([
    `('a', 'x'), ('b' 'c', 'd'), ('e', '${SECRET}')`,
    `('a'), ('e', '${SECRET}')`,
    `(a"b", 'x'), ('e', '${SECRET}')`,
    `('it\\'s', '${SECRET}')`,
    `('it\\'s', 'x'), ('e', '${SECRET}')`,
    `('ends with \\', '${SECRET}')`,
    `(f(g(1)), 'x'), ('e', '${SECRET}')`,
    `(1, 2, 3), ('e', '${SECRET}')`,
    `('a', crypt('${SECRET}', gen_salt('bf')))`,
    `('a\nb', '${SECRET}')`,
    `(DEFAULT, NULL), ('e', '${SECRET}'::text)`,
    `('a', ); insert into v (token, m) values ('${SECRET}', 'b')`,
  ])('%j', (values) => expect(shown(rows(values))).not.toContain(SECRET));

  test('other columns stay as they are', () =>
    expect(shown(rows(`('${SECRET}', 'x'), ('b', NULL)`))).toContain(SECRET));
});
