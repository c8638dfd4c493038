/**
 * Lists the programs that take a secret on their command line, in small letters.
 *
 * Every text is screened for them; what each of them takes (`program-secrets.ts`) is loaded with the first text that names one. A test holds that
 * both tables name the same programs.
 */
export const PROGRAM_NAMES: ReadonlySet<string> = new Set(
  (
    '7z 7za 7zr 7zz ab airflow altool ansible-vault argocd aws az bao bcp beeline bitcoin-cli buildah bundle bw caddy cargo cbq cf ' +
    'chpasswd clickhouse-client cloudflared cockroach codecov composer consul convertto-securestring couchbase-cli cqlsh crackmapexec ' +
    'crane crudini cryptsetup curl cypher-shell databricks db2 docker doctl doppler dotnet doveadm drone drush dse eas ' +
    'elasticsearch-users etcdctl evil-winrm exp expdp expo firebase fly flyctl gcloud gh glab gopass gpg grafana grafana-cli hatch ' +
    'hdbsql helm heroku hey htpasswd http https ibmcloud imp impdp influx ipmitool isql iwconfig jarsigner k3s kadmin keytool kinit ' +
    'knife kubectl ldapadd ldapcompare ldapdelete ldapmodify ldappasswd ldapsearch ldapwhoami lftp mariadb mariadb-admin mariadb-dump ' +
    'mc microk8s mkpasswd mongo mongodump mongoexport mongoimport mongorestore mongosh mosquitto_passwd mosquitto_pub mosquitto_sub ' +
    'mount.cifs mycli mysql mysqladmin mysqlcheck mysqldump mysqlimport mysqlsh mysqlshow ncftp ncftpget ncftpls ncftpput neo4j-admin ' +
    'nerdctl net ngrok nmcli npx nuget nxc oc odoo odoo-bin openssl oras osql p4 pass passwd pdfimages pdfinfo pdftk pdftocairo ' +
    'pdftoppm pdftotext pgcli plink podman poetry pscp psexec psftp psql pulumi qpdf rabbitmqadmin rabbitmqctl racadm railway rar ' +
    'rclone rdesktop redis-cli regctl rman rpcclient samba-tool saslpasswd2 schtasks secret-tool security sendemail signtool skopeo ' +
    'smbclient smbmap smbpasswd snmpbulkwalk snmpget snmpset snmptrap snmpwalk snowsql snyk sonar-scanner sqlcl sqlcmd sqlldr sqlplus ' +
    'ssh-add ssh-keygen sshpass sudo supabase swaks systemd-creds tabcmd travis tsql twine unrar unzip useradd usermod usql valkey-cli ' +
    'vault veracrypt vercel vncpasswd vsql wandb wfreerdp winrs woodpecker-cli wpa_passphrase wrangler xfreerdp xh xhs youtube-dl ' +
    'yt-dlp zip'
  ).split(' '),
);
