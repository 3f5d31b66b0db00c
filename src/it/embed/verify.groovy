def classpath = new File(basedir, 'target/classpath.txt').text.trim()
def jars = classpath.split(File.pathSeparator).collect { new File(it).name.replaceAll(/-\d.*/, '') }.sort()
assert jars == ['sieve', 'slf4j-api']

def java = new File(System.getProperty('java.home'), 'bin/java').path
def run = [java, '-cp', new File(basedir, 'target/classes').path + File.pathSeparator + classpath, 'embed.App'].execute()
assert run.text.readLines() == [
    'http://[::7f00:1]/c?d',
    'okhttp3.OkHttpClient: add com.squareup.okhttp3:okhttp-jvm to the class path, an optional dependency of dev.sieve:sieve',
    'true false https://example.org/ false']
assert run.waitFor() == 0

def pom = new File(localRepositoryPath, 'dev/sieve/sieve/1.0.0-SNAPSHOT/sieve-1.0.0-SNAPSHOT.pom').text
assert !(pom =~ /<(dependencyManagement|build|profiles|parent)>/)
def required = pom.split('<dependency>').drop(1).findAll { !(it =~ /<optional>true<|<scope>provided</) }
assert required.size() == 1 && required[0].contains('<artifactId>slf4j-api<')
