# cmake -DOUT=FILE -DDIR=FOLDER -DWHAT=templates -P embed.cmake: writes C source that holds
# every FOLDER/LANGUAGE/NAME.txt, and FOLDER/NAME.txt with the language "", for the function
# templates_embedded of config/templates.h.
file(GLOB files RELATIVE ${DIR} ${DIR}/*.txt ${DIR}/*/*.txt)
list(SORT files)
set(arrays "")
set(table "")
set(index 0)
foreach(file ${files})
  file(READ ${DIR}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n\t" bytes "${bytes}")
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(language ${file} DIRECTORY)
  string(APPEND arrays "static const unsigned char file_${index}[] = {\n\t${bytes}0};\n")
  string(APPEND table
    "\t{\"${language}\", \"${name}\", (const char *)file_${index}, sizeof(file_${index}) - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT}.new "/* Made from config/${WHAT} by config/embed.cmake. */
#include \"config/${WHAT}.h\"

${arrays}
static const struct embedded_template files[] = {
${table}};

bool ${WHAT}_embedded(size_t index, struct embedded_template *ret_embedded)
{
	if (index >= ARRAY_SIZE(files))
		return false;
	*ret_embedded = files[index];
	return true;
}
")
file(RENAME ${OUT}.new ${OUT})
