# roofcast_library(NAME): static library roofcast_NAME (roofcast::NAME) from the .cpp files of the current folder and
# those below it. A new file is picked up by the next build.
function(roofcast_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)
    file(TOUCH ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(roofcast_${name} STATIC ${sources})
  add_library(roofcast::${name} ALIAS roofcast_${name})
  set_target_properties(roofcast_${name} PROPERTIES EXPORT_NAME ${name})
  # The repository is the include root: #include "core/quantity.h".
  target_include_directories(roofcast_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:include/roofcast>)
  target_compile_features(roofcast_${name} PUBLIC cxx_std_20)
endfunction()
