import dev.sieve.cli.Main;
import java.io.File;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes the pages of the manual, one per command, in AsciiDoc. The build runs this file and converts what it writes. */
class ManPages {
    /** The argument is the directory to write to. */
    public static void main(String[] args) throws Exception {
        int exitCode = ManPageGenerator.generateManPage(
                new File(args[0]), null, new boolean[0], true, Main.commandLine().getCommandSpec());
        if (exitCode != 0) {
            throw new IllegalStateException("no manual, exit code " + exitCode);
        }
    }
}
