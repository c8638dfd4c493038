/** Checks that a deny rule on a statement hears it within another statement. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const verdict = (rule: string, command: string) =>
  commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' });

describe('a deny rule on DELETE hears', () => {
  test.each([
    'WITH a AS (select 1) DELETE FROM x',
    'with a as (delete from x returning *) select * from a',
    'EXPLAIN ANALYZE DELETE FROM x',
    'explain (analyze, buffers) delete from x',
    'explain analyze verbose delete from x',
    'PREPARE x AS DELETE FROM y',
    'prepare x (int) as delete from y',
    "PREPARE x FROM 'DELETE FROM y'",
    "EXECUTE IMMEDIATE 'DELETE FROM y'",
    "EXEC('DELETE FROM y')",
    "EXEC sp_executesql N'DELETE FROM y'",
    "execute format('delete from %I', x)",
    "do 'begin delete from x; end'",
    'begin delete from x',
    'if exists (select 1) delete from x',
    'copy (delete from x returning *) to stdout',
    'create rule r as on insert to x do instead delete from y',
    'merge into x using y on a = b when matched then delete from z',
  ])('%s', (statement) => {
    expect(verdict('psql -c DELETE:*', `psql -c ${JSON.stringify(statement)}`)).toBe('deny');
  });

  test.each([
    'begin delete from x; end',
    "begin execute 'delete from x'; end",
    'begin if true then delete from x; end if; end',
  ])('in a block: %s', (block) => {
    expect(verdict('psql -c DELETE:*', `psql -c 'do $$ ${block.replaceAll("'", "'\\''")} $$'`)).toBe('deny');
  });
});

describe('a deny rule on one statement hears', () => {
  test.each([
    ['psql -c DROP TABLE users', `psql -c "EXECUTE IMMEDIATE 'DROP TABLE users'"`],
    ['psql -c DROP TABLE users', `psql -c 'PREPARE x AS DROP TABLE users'`],
    ['psql -c DROP TABLE users', `psql -c "EXEC('DROP TABLE users')"`],
    ['mysql -e UPDATE:*', `mysql -e 'with a as (select 1) update x set a = 1'`],
    [`mysql -e 'DROP:*`, `mysql -e "prepare s from 'drop table x'; execute s"`],
    ['sqlite3 app.db DELETE:*', `sqlite3 app.db 'with a as (select 1) delete from x'`],
    ['sqlcmd -Q DROP:*', `sqlcmd -Q "begin try drop table x end try"`],
  ])('%s: %s', (rule, command) => {
    expect(verdict(rule, command)).toBe('deny');
  });
});

test('asks about a statement that another one puts together', () => {
  expect(verdict('psql -c DROP TABLE:*', `psql -c "execute 'dr' || 'op table x'"`)).toBe('ask');
  expect(verdict('psql -c DROP TABLE:*', `psql -c "select a || b from x"`)).toBe('allow');
});

describe('a deny rule on DELETE leaves alone', () => {
  test.each([
    'select 1',
    'with a as (select 1) select * from a',
    'explain analyze select 1',
    'explain delete from x',
    'select deleted from x',
    "select * from audit where action = 'delete'",
    "select 'delete from x'",
    "select * from x where note like '%delete from%'",
    'create table a (x int references b on delete cascade)',
    'grant delete on x to y',
    'create trigger t after delete on x',
    'insert into x select 1 on conflict do update set a = x.a + 1',
  ])('%s', (statement) => {
    expect(verdict('psql -c DELETE:*', `psql -c ${JSON.stringify(statement)}`)).toBe('allow');
  });
});
