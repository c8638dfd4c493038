/** Holds secrets that people choose, or that look like a part of a name. */

const S = 'Zq7canaryW9xK2';
const row = (kind: string, value: string, secret = S) => ({ kind, value, secret });

export const CHOSEN = [
  // People choose words, and services letters, digits or hex: a colon without a blank makes a name of none of them.
  ...['swordfish', 'correct-horse-battery', 'qwertyuiopasdfgh', '5551234567', '9f86d081'.repeat(4)].flatMap(
    (chosen) => [
      row(`word behind a colon: ${chosen}`, `run token:${chosen}`, chosen),
      row(`header without a blank: ${chosen}`, `curl -H X-Api-Key:${chosen} https://x.example`, chosen),
      row(`quoted header without a blank: ${chosen}`, `curl -H 'Authorization:${chosen}' https://x.example`, chosen),
      row(`item of HTTPie: ${chosen}`, `http POST x.example api_key:${chosen} a=b`, chosen),
      row(`flow of YAML: ${chosen}`, `{a: b, client_secret:${chosen}}`, chosen),
      row(`two parts before it: ${chosen}`, `user:token:${chosen}`, chosen),
      row(`path before it: ${chosen}`, `deploy acme/secret:${chosen}`, chosen),
      row(`variable of an image: ${chosen}`, `docker run -e API_TOKEN:${chosen} app`, chosen),
      row(`option of a push: ${chosen}`, `git push -o token:${chosen} origin main`, chosen),
    ],
  ),
  row('cookie of the name id', 'Cookie: id=a3fWaZq7canary', 'a3fWaZq7canary'),
  row('value that a variable has by default', `echo $${`{DB_PASSWORD:-${S}}`}`),
  row('variable of a style sheet', `$password: ${S}`),
  row('word before a tag', 'Password: Sunshine<br>', 'Sunshine'),
  row('word before a redirection', 'mysql --password=Swordfish<a.sql', 'Swordfish'),
  row('password like a name', 'app --password=super-secret', 'super-secret'),
  row('token in parts', `API_TOKEN=acme_prod.9f86d081.main`, '9f86d081'),
  row('scheme of Okta', `Authorization: SSWS ${'Q9canary7Wx2'.repeat(3)}`, 'Q9canary7Wx2'.repeat(3)),
  row('scheme of a JWT', `curl -H "Authorization: JWT ${S}" x`),
  ...['ghp_', 'npm_', 'sk_live_', 'glpat-'].flatMap((prefix) => {
    const token = `${prefix}${'Q9canary7Wx2'.repeat(3).slice(0, prefix === 'glpat-' ? 20 : 36)}`;
    return [
      row(`in the name of a file: ${prefix}`, `cp backup_${token}.txt a`, token),
      row(`emphasized: ${prefix}`, `take __${token}__ for it`, token),
    ];
  }),
];
