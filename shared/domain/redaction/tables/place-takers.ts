/** Lists programs whose operands are places, or names of what they change: people have to see these. */
/** Nothing but such names stands behind them, also in the place of another program's operand: `docker exec c rm …`. */
export const FILES: ReadonlySet<string> = new Set(
  // Files and disks.
  (
    'cat cd chgrp chmod chown cp dd find head ln ls mkdir mkfs mount mv rm rmdir rsync scp shred tail tar tee pushd touch truncate umount unlink wipefs ' +
    'copy copy-item del erase get-content move move-item new-item rd remove-item set-content ' +
    // Hosts.
    'dig host invoke-restmethod invoke-webrequest iwr nc ncat nslookup ping sftp telnet ' +
    // Processes, services and users.
    'crontab groupdel iptables kill killall passwd pkill service shutdown stop-process stop-service systemctl taskkill userdel'
  ).split(' '),
);

/** Programs that take other words too, each with the letters of its options whose value may be a secret. */
export const PLACE_TAKERS: ReadonlyMap<string, string> = new Map([
  ...[...FILES, ...'aws createdb createuser dropdb dropuser gcloud gsutil helm oc terraform tofu'.split(' ')].map(
    (name) => [name, ''] as const,
  ),
  ['ansible', 'ek'],
  ['ansible-playbook', 'ek'],
  ['az', 'p'],
  ['curl', 'AFHUbdeu'],
  ['docker', 'ep'],
  ['fly', 't'],
  ['flyctl', 't'],
  ['gh', 'Hbf'],
  ['git', 'GSm'],
  ['heroku', ''],
  ['kubectl', 'p'],
  ['podman', 'ep'],
  ['unzip', 'P'],
  ['useradd', 'p'],
  ['usermod', 'p'],
  ['wget', 'U'],
]);

/** Programs of packages, whose names are code that runs: behind these words, or as the first word. */
export const PACKAGERS: ReadonlySet<string> = new Set(
  'apt apt-get brew bunx cargo dnf gem go npm npx pip pip3 pipx pnpm uv uvx yarn yum'.split(' '),
);
export const TAKES_PACKAGES: ReadonlySet<string> = new Set(
  'add create dlx exec get i info install link remove rm run show uninstall unpublish update upgrade view x'.split(' '),
);

/** Words of platforms behind which another program has its own words. */
export const RUNNERS: ReadonlySet<string> = new Set(['exec', 'run', '--']);
/** A secret, or a text to look for, stands behind these. */
export const TAKES_TEXT: ReadonlySet<string> = new Set(['grep', 'login']);
