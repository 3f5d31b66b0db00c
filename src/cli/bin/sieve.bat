@echo off
rem Starts Sieve with the java of JAVA_HOME, or else the first in PATH. JAVA_OPTS and SIEVE_OPTS hold options for java.
setlocal DisableDelayedExpansion

set "java=java.exe"
if not defined JAVA_HOME goto found
set "java=%JAVA_HOME:"=%\bin\java.exe"
if exist "%java%" goto found
echo sieve: JAVA_HOME is set, but there is no "%java%" 1>&2
exit /b 1

:found
"%java%" -version >nul 2>&1
if not errorlevel 1 goto runs
echo sieve: Java 17 or later is required: JAVA_HOME is not set, and no java runs from PATH 1>&2
exit /b 1

:runs
set "version="
for /f "tokens=3" %%v in ('""%java%" -version 2^>^&1 ^| findstr /c:" version "') do if not defined version set "version=%%~v"
set "major="
for /f "delims=.-+_" %%m in ("%version%") do set "major=%%m"
if not defined major goto start
if %major% GEQ 17 goto start
echo sieve: Java 17 or later is required: "%java%" is version %version% 1>&2
exit /b 1

:start
"%java%" %JAVA_OPTS% %SIEVE_OPTS% -jar "%~dp0..\lib\sieve.jar" %*
exit /b %errorlevel%
