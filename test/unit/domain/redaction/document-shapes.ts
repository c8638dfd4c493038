/** Holds manifests of Kubernetes, property lists and logons of programs with the secret in each. */

const S = 'Zq7canaryW9xK2';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const row = (kind: string, value: unknown, secret = S) => ({ kind, value, secret });

export const DOCUMENTS = [
  row('Kubernetes secret', `kind: Secret\nstringData:\n  foo: ${S}\n`),
  row(
    'Kubernetes secret in base64',
    `apiVersion: v1\nkind: Secret\ndata:\n  db: "${base64(S)}"\n---\nkind: ConfigMap\ndata:\n  a: b\n`,
    base64(S),
  ),
  row('Kubernetes secret as JSON', { apiVersion: 'v1', kind: 'Secret', data: { db: base64(S) } }, base64(S)),
  row('Kubernetes secrets of a list', { items: [{ kind: 'Secret', data: { a: { b: S } } }] }),
  row('Kubernetes secret without its kind', { stringData: { db: S } }),
  row('Kubernetes secret as JSON in a text', `{"data":{"db":"${base64(S)}"},"kind":"Secret"}`, base64(S)),
  row('Kubernetes secret in JSON in a text', JSON.stringify({ a: JSON.stringify({ kind: 'Secret', data: { b: S } }) })),
  row('patch of a Kubernetes secret', `kubectl patch secret db -p '{"data":{"db":"${base64(S)}"}}'`, base64(S)),
  row('patch without a kind', `kubectl apply -f - <<< '{"stringData": {"a": "b", "db": "${S}"}}'`),
  row(
    'Kubernetes secret behind something else',
    `{"items":[{"data":{"a":"b"},"kind":"ConfigMap"},{"data":{"db":"${base64(S)}"},"kind":"Secret"}]}`,
    base64(S),
  ),
  row(
    'LDIF in base64',
    `dn: cn=a\nreplace: userPassword\nuserPassword:: ${base64('correcthorse')}\n`,
    base64('correcthorse'),
  ),
  row('address of Oracle', { jdbcUrl: 'jdbc:oracle:thin:scott/correcthorse@h:1521:x' }, 'correcthorse'),
  row('pgpass in quotes', `echo 'h:5432:d:u:correcthorse' > ~/.pgpass`, 'correcthorse'),
  row('pgpass with a quote in it', `h:5432:d:u:Zq'canary7`, `Zq'canary7`),
  row(
    'patch beside another, of an object that names its owner',
    `kubectl patch secret a -p '{"data":{"p":"correcthorse"},"metadata":{"ownerReferences":[{"kind":"Deployment"}]}}'; kubectl patch secret b -p '{"data":{"q":"eHh4"}}'`,
    'correcthorse',
  ),
  row(
    'Secret with two kinds of data',
    { manifest: '{"kind":"Secret","stringData":{"a":"bbb"},"data":{"p":"correcthorse"}}' },
    'correcthorse',
  ),
  row('patch of a call', { patch: [{ op: 'replace', path: '/stringData/x', value: 'correcthorse' }] }, 'correcthorse'),
  row('values of an attribute', { attributes: [{ name: 'userPassword', values: ['correcthorse'] }] }, 'correcthorse'),
  row('parameter of a stack', { ParameterKey: 'DbPassword', ParameterValue: 'correcthorse' }, 'correcthorse'),
  row('parameter of SSM', { Name: '/a', Value: 'correcthorse', Type: 'SecureString' }, 'correcthorse'),
  row('bytes of a secret', { SecretBinary: base64('correcthorse') }, base64('correcthorse')),
  row('value of a named secret', { secret_name: 'A', value: 'correcthorse' }, 'correcthorse'),
  row('field of a page', { selector: 'input[type=password]', value: 'correcthorse' }, 'correcthorse'),
  row('field of a page by its words', { element: 'Password field', ref: 'e12', text: 'correcthorse' }, 'correcthorse'),
  row('words of a program', { args: ['poetry', 'config', 'http-basic.x', 'u', 'correcthorse'] }, 'correcthorse'),
  row('property list', `<dict><key>Password</key>\n  <string>${S}</string></dict>`),
  row('key of a signature', { hmacKey: S }),
  row('token of GitHub by its name', { githubPat: S }),
  row('logon of Oracle', `sqlplus -s scott/${S}@orcl @report.sql`),
  row('quoted logon of Oracle', `expdp 'scott/"${S}"@//h:1521/x' schemas=a`),
  row('beeline', `beeline -u jdbc:hive2://h -n me -p ${S}`),
  row('Apache benchmark', `ab -A me:${S} http://x.example/`),
  row('perforce', `p4 -u me -P ${S} sync`),
  row('user of minio', `mc admin user add local me ${S}`),
  row('echo to ssh-add', `echo ${S} | ssh-add -`),
];
